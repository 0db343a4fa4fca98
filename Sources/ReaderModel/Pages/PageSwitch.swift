/// Going from one page to another of a row of pages under tabs.
public enum PageSwitch {
  /// What a tap on a tab does.
  public enum Action: Sendable, Hashable {
    /// The tab is that of the current page: go to the top of it.
    case scrollToTop
    /// Go through these pages, the last is the one that was meant.
    case visit([Int])
  }

  /// The pages on the way, without the first and with the last; none where both are the same.
  public static func path(from current: Int, to destination: Int) -> [Int] {
    if destination > current { return Array(current + 1...destination) }
    return Array((destination..<current).reversed())
  }

  /// What a tap on a tab does.
  public static func action(current: Int, tapped: Int) -> Action {
    current == tapped ? .scrollToTop : .visit(path(from: current, to: tapped))
  }

  /// Where the indicator under the tabs stands while a page is swiped.
  ///
  /// - Parameters:
  ///   - start: Where it stands at rest on the current page.
  ///   - contentOffset: Of the three pages before one's eyes: the width at rest, 0 when the page before has
  ///     come in whole, twice the width when the next one has.
  ///   - width: Of a page.
  ///   - pageCount: How many pages there are, at least 1.
  public static func indicatorOffset(
    start: Double, contentOffset: Double, width: Double, pageCount: Int
  ) -> Double {
    start - (width - contentOffset) / Double(max(pageCount, 1))
  }

  /// The pages that keep their pictures: the current one and its neighbours; the others let theirs go.
  public static func kept(current: Int, pageCount: Int) -> [Int] {
    (current - 1...current + 1).filter { $0 >= 0 && $0 < pageCount }
  }

  /// The page to stay on when a swipe ends: the one of which more than half is seen.
  ///
  /// - Parameter contentOffset: Of the whole row: 0 at the first page.
  public static func page(contentOffset: Double, width: Double, pageCount: Int) -> Int {
    let page = (contentOffset / max(width, 1) + 0.5).rounded(.down)
    return Int(min(max(page, 0), Double(max(pageCount - 1, 0))))
  }
}
