/// What of a load goes to disk.
public enum StorageRule: String, Sendable, CaseIterable, Codable {
  /// The original of a plain request, the result of one with processors or a thumbnail. The default.
  case automatic
  /// The original's bytes as they came.
  case original
  /// The result, encoded: JPEG where it is opaque, PNG where it is not.
  case result
  /// Both.
  case both
  /// Nothing.
  case none
}
