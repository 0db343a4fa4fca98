/// Which tier answered a load.
public enum LoadSource: String, Sendable, CaseIterable, Codable {
  /// The origin sent the bytes.
  case network
  /// The origin said that the kept bytes still hold (304).
  case revalidated
  /// The disk cache; the origin was not asked.
  case disk
  /// The memory cache; neither disk nor origin was asked.
  case memory
}
