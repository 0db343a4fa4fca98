/// Why a list shows nothing, and what stands in its place.
///
/// The panel lies inside the list, so that pulling still works; it is there just as long as the list is
/// empty.
public enum EmptyState: String, Sendable, CaseIterable, Codable {
  /// The cache holds no such day.
  case noDay
  /// The day is there and has no stories.
  case noStories
  /// The day is there and none of its stories has a picture.
  case noImages
  /// Nothing answered.
  case network
  /// Something answered that could not be read.
  case badAnswer
  /// No story was marked yet.
  case noFavourites

  /// What stands in place of a list, or `nil` where the list has something to show.
  ///
  /// - Parameters:
  ///   - storyCount: Of the day; `nil` where the day could not be had.
  ///   - failure: Why not.
  public static func reason(storyCount: Int?, failure: Failure?) -> EmptyState? {
    if let storyCount, storyCount > 0 { return nil }
    switch failure {
    case .status(404): return .noDay
    case .status, .unreadable: return .badAnswer
    case .unreachable: return .network
    case nil: return storyCount == nil ? .noDay : .noStories
    }
  }

  /// Why a day could not be had.
  public enum Failure: Sendable, Hashable {
    /// An answer that says no.
    case status(Int)
    /// No answer.
    case unreachable
    /// An answer that is not what was asked for.
    case unreadable
  }

  /// What it says.
  public var title: ReaderText {
    switch self {
    case .noDay: .noDay
    case .noStories: .noStories
    case .noImages: .noImages
    case .network: .networkFailed
    case .badAnswer: .badAnswer
    case .noFavourites: .noFavourites
    }
  }

  /// Whether the button to load again is there.
  public var offersReload: Bool { self != .noFavourites }

  /// How `imgcache` ends for that reason: 1, the images could not be had; no favourites are no failure.
  public var exitStatus: Int32 { self == .noFavourites || self == .noImages ? 0 : 1 }

  /// How far above the middle it stands: 35 up.
  public static let verticalOffset = -35.0
  /// The distance from both sides: 33.
  public static let sideInset = 33.0
  /// Between picture and title: 22.
  public static let gap = 22.0
  /// The size of the title: 15.
  public static let fontSize = 15.0
  /// Red, green, blue of the title.
  public static let textColor = [51, 51, 51]
}
