public import ImageModel

/// A selection of entries; an entry has to meet every condition that is set.
public struct EntrySelection: Sendable, Hashable {
  /// Kinds of keys.
  public enum Kind: Int, Sendable, CaseIterable {
    /// The response of a URL.
    case original = 0
    /// Made from an original.
    case variant = 1
    /// A feed's document.
    case document = 2
  }

  /// In this group, such as `day:20200616`.
  public var group: String?
  /// Of this kind.
  public var kind: Kind?
  /// Fetched or confirmed before this moment.
  public var before: Date?

  /// Every entry; set what narrows it.
  public init(group: String? = nil, kind: Kind? = nil, before: Date? = nil) {
    self.group = group
    self.kind = kind
    self.before = before
  }

  /// Every entry.
  public static let all = EntrySelection()
}
