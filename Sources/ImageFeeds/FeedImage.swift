/// An image that a feed names.
public struct FeedImage: Sendable, Hashable, Codable {
  /// The role of the image in its story.
  public enum Role: String, Sendable, CaseIterable, Codable {
    /// The image beside the story in the list.
    case story
    /// The large image of a story shown at the top.
    case topStory = "top_story"
    /// An image of the story's own page: above its text or inside it.
    case body

    /// `story`, `top` or `body`, as in the file names of an export.
    public var shortName: String { self == .topStory ? "top" : rawValue }
  }

  /// The URL as the feed spells it: `http` or `https`.
  public var url: String
  /// The role of the image in its story.
  public var role: Role
  /// The story's identifier.
  public var storyID: String
  /// The place among the images of that story and role, from 0.
  public var index: Int

  /// Creates a description.
  public init(url: String, role: Role, storyID: String, index: Int) {
    self.url = url
    self.role = role
    self.storyID = storyID
    self.index = index
  }
}
