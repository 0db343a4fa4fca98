/// How a story is set in the list, and where it leads.
public enum StoryCell {
  /// The height of a row: 95.
  public static let height = 95.0
  /// The side of its picture: 75.
  public static let pictureSide = 75.0

  /// Whether the title takes the whole width: where the story has no picture.
  public static func titleTakesFullWidth(pictureCount: Int) -> Bool { pictureCount == 0 }

  /// Whether the badge "several pictures" shows.
  public static func showsBadge(pictureCount: Int, isMultipic: Bool) -> Bool {
    isMultipic || pictureCount > 1
  }

  /// The page that a story leads to on the web: its own, else the one to pass on, else the one that Zhihu
  /// Daily has for its number; `nil` where there is none.
  public static func link(url: String?, shareURL: String?, id: String) -> String? {
    if let link = url ?? shareURL { return link }
    let isNumber = !id.isEmpty && id.utf8.allSatisfy { (48...57).contains($0) }
    return isNumber ? "https://daily.zhihu.com/story/\(id)" : nil
  }
}
