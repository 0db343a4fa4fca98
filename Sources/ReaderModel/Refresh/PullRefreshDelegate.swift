/// Who owns the list that ``PullRefresh`` loads anew.
public protocol PullRefreshDelegate {
  /// Loads. Called once for each release far enough down, never while ``isLoading``.
  mutating func refreshWasTriggered()

  /// Whether loading is under way, whoever began it.
  var isLoading: Bool { get }

  /// When the list was last loaded, for ``LastUpdated``; `nil`, the default, shows no label.
  var lastUpdated: LastUpdated.Moment? { get }
}

extension PullRefreshDelegate {
  /// Nothing is known.
  public var lastUpdated: LastUpdated.Moment? { nil }

  /// Lets go of a header, and loads where that means to: a second time while loading is ignored.
  public mutating func release(_ header: inout PullRefresh, at offset: Double) {
    if header.released(at: offset, sourceIsLoading: isLoading) { refreshWasTriggered() }
  }
}
