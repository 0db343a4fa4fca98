/// Numbers keys as they come and gathers requests.
///
/// Keys are told apart by 64 bits: numbers as they are, words by their hash. Two of a million words share a hash once in
/// forty million traces.
struct TraceBuilder {
  private let name: String
  private let sampleRate: Double
  /// Keys whose hash is lower belong to the sample.
  private let threshold: UInt64
  private var numbers: [UInt64: UInt32] = [:]
  private var keys: [UInt32] = []
  private var sizes: [Int] = []
  /// The last size above 0 of each key.
  private var knownSizes: [Int] = []
  private var hasUnknownSizes = false
  private var requestCount = 0

  /// Requests are numbered with 32 bits.
  static let maximumCount = Int(UInt32.max) - 1
  var count: Int { keys.count }

  init(name: String, sampleRate: Double) {
    self.name = name
    self.sampleRate = min(1, max(0, sampleRate))
    let scaled = self.sampleRate * 0x1p64
    threshold = scaled >= 0x1p64 ? .max : UInt64(scaled)
  }

  mutating func add(text: UnsafeRawBufferPointer, size: Int) {
    // Leading zeros make another word of the same number.
    if let number = TraceFields.number(text), text.count == 1 || text[0] != 48 {
      return add(number: number, size: size)
    }
    // FNV-1a; the highest bit sets words apart from the numbers that traces have.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    add(number: Self.mixed(hash) | 1 << 63, size: size)
  }

  mutating func add(number: UInt64, size: Int) {
    requestCount += 1
    if threshold != .max, Self.mixed(number) >= threshold { return }
    let next = UInt32(truncatingIfNeeded: knownSizes.count)
    let key = numbers[number] ?? next
    if key == next {
      numbers[number] = key
      knownSizes.append(0)
    }
    if size > 0 { knownSizes[Int(key)] = size } else { hasUnknownSizes = true }
    keys.append(key)
    // A recorded miss has no size yet: the object is as large as it was before, or will be.
    sizes.append(size > 0 ? size : knownSizes[Int(key)])
  }

  func finished() -> Trace {
    var sizes = sizes
    if hasUnknownSizes {
      for index in sizes.indices where sizes[index] == 0 {
        sizes[index] = knownSizes[Int(keys[index])]
      }
    }
    return Trace(
      name: name, keys: keys, sizes: sizes, sampleRate: sampleRate, fullRequestCount: requestCount)
  }

  /// Stafford's mixer, as in SplitMix64.
  private static func mixed(_ number: UInt64) -> UInt64 {
    var hash = number &+ 0x9e37_79b9_7f4a_7c15
    hash = (hash ^ (hash >> 30)) &* 0xbf58_476d_1ce4_e5b9
    hash = (hash ^ (hash >> 27)) &* 0x94d0_49bb_1331_11eb
    return hash ^ (hash >> 31)
  }
}
