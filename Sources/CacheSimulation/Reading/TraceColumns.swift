/// Which of a line's first three fields is what; settled by the names of columns or by the first request.
struct TraceColumns: Equatable {
  /// Fields of every line, 3 at most.
  let count: Int
  /// Where the key is.
  let key: Int
  /// Where the size is; `nil` where all are 1.
  let size: Int?

  private static let keyNames: Set<String> = ["key", "id", "obj_id", "object", "url"]
  private static let sizeNames: Set<String> = ["size", "bytes"]
  private static let timeNames: Set<String> = ["time", "timestamp"]

  /// Columns without names: `time,key,size`, `time,key` or `key`.
  init(count: Int) {
    self.init(count: count, key: count == 1 ? 0 : 1, size: count == 3 ? 2 : nil)
  }

  private init(count: Int, key: Int, size: Int?) {
    self.count = count
    self.key = key
    self.size = size
  }

  /// Reads a line of names; `nil` where it is a request.
  ///
  /// Names that nobody knows are names all the same where neither the time nor the size is a number.
  init?(names fields: TraceFields) {
    let words = (0..<fields.count).map { fields.word($0) }
    let all = Self.keyNames.union(Self.sizeNames).union(Self.timeNames)
    guard words.allSatisfy(all.contains) else {
      guard fields.count == 3, !fields.isNumeric(0), !fields.isNumeric(2) else { return nil }
      self.init(count: 3)
      return
    }
    guard let key = words.firstIndex(where: Self.keyNames.contains) else { return nil }
    self.init(
      count: words.count, key: key, size: words.firstIndex(where: Self.sizeNames.contains))
  }
}
