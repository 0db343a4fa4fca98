/// What a row of pages under tabs is made of. All three are required, and their order is that of the row.
public protocol PageSource {
  /// What a tab is drawn as.
  associatedtype Button
  /// What a page is.
  associatedtype Page
  /// What the pages lie in.
  associatedtype Container

  /// The tabs; drawn by the owner, not by the row.
  var pageButtons: [Button] { get }
  /// The pages, one a tab.
  var pages: [Page] { get }
  /// Where the pages are shown.
  var pageContainer: Container { get }
}

/// Who wants to know where a row of pages stands. None of it is required.
public protocol PageObserver {
  /// Another page is the current one.
  mutating func pageChanged(to index: Int)
  /// A swipe moved the pages; see ``PageSwitch/indicatorOffset(start:contentOffset:width:pageCount:)``.
  mutating func pageOffsetChanged(to offset: Double)
  /// Where the indicator stands at rest for a tab.
  mutating func indicatorStarted(at offset: Double, tab: Int)
}

extension PageObserver {
  /// Not of interest.
  public mutating func pageChanged(to index: Int) {}
  /// Not of interest.
  public mutating func pageOffsetChanged(to offset: Double) {}
  /// Not of interest.
  public mutating func indicatorStarted(at offset: Double, tab: Int) {}
}
