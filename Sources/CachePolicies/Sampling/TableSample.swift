/// Some of the residents of a table by kind, for policies whose queues and segments are shares of
/// the whole: how many bytes a kind has, and from which age on.
///
/// The policies take such a sample every few requests instead of keeping sums that several
/// processes would have to agree on.
struct TableSample {
  /// Requests between two samples.
  static let interval = 32
  /// The residents in a sample; fewer are all examined.
  private static let residentCount = 128

  private var found: [(kind: UInt8, age: UInt32, byteCount: Double)] = []
  private var byteCount = 0.0

  init(of table: some EvictionTable, at now: UInt32) {
    let step = max(1, table.count / Self.residentCount)
    for index in stride(from: Int(now) % step, to: table.count, by: step) {
      let note = table[note: index]
      let bytes = Double(table.byteCount(at: index))
      found.append((note.kind, note.age(at: now), bytes))
      byteCount += bytes
    }
  }

  /// Returns the share of bytes that entries of a kind have.
  func share(of kind: UInt8) -> Double {
    found.reduce(0) { $0 + ($1.kind == kind ? $1.byteCount : 0) } / max(byteCount, 1)
  }

  /// Returns the age up to which entries of a kind have at most this share of all bytes.
  func age(of kind: UInt8, share: Double) -> UInt32 {
    var room = share * byteCount
    for entry in found.filter({ $0.kind == kind }).sorted(by: { $0.age < $1.age }) {
      room -= entry.byteCount
      if room < 0 { return entry.age }
    }
    return .max
  }
}
