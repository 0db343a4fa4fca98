struct TraceColumns: Equatable {
  let count: Int
  let key: Int
  /// The index of the size; `nil` when all are 1.
  let size: Int?
  /// The index of the time; `nil` when there is none.
  let time: Int?

  private static let keyNames: Set<String> = ["key", "id", "obj_id", "object", "url"]
  private static let sizeNames: Set<String> = ["size", "bytes"]
  private static let timeNames: Set<String> = ["time", "timestamp"]

}

extension TraceColumns {
  /// Columns without names: `time,key,size`, `time,key` or `key`.
  init(count: Int) {
    self.init(
      count: count, key: count == 1 ? 0 : 1, size: count == 3 ? 2 : nil,
      time: count == 1 ? nil : 0)
  }

  /// Parses a line of names; `nil` for a request. Unknown names are names, too, when neither the
  /// time nor the size is a number.
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
      count: words.count, key: key, size: words.firstIndex(where: Self.sizeNames.contains),
      time: words.firstIndex(where: Self.timeNames.contains))
  }
}
