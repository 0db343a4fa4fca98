import ImageFeeds
import ImageModel
import ImagePipeline

/// Gathers the images of a contact sheet and their titles.
struct SheetList {
  private let session: Session
  private let command: SheetCommand
  private let messages: MessageGroups
  /// The maximum number of images: the names and captions of all are in memory.
  private static let maximumCount = 100_000
  /// The days and pages that were not available.
  private(set) var failureCount = 0
  private(set) var items: [SheetItem] = []

  init(_ command: SheetCommand, session: Session, messages: MessageGroups) {
    self.command = command
    self.session = session
    self.messages = messages
  }

  mutating func gather(_ subjects: [DayOrURL]) async throws {
    for subject in subjects {
      switch subject {
      case .url(let url): try add(SheetItem(url: url))
      case .days(let request): try await gather(request)
      }
    }
  }

  private mutating func add(_ item: SheetItem) throws(ImageError) {
    guard items.count < Self.maximumCount else {
      throw ImageError(
        .limitExceeded,
        "more than \(Self.maximumCount) images are too many for one call; name fewer days")
    }
    items.append(item)
  }

  private mutating func gather(_ request: DayRequest) async throws {
    var listing = DayArchive.Options()
    listing.policy = command.origin.cachePolicy
    listing.includesPages = command.bodies
    var stories: [String: FeedStory] = [:]
    for try await element in session.archive.list([request], options: listing) {
      switch element {
      case .day(let day, _):
        stories = [:]
        for story in day.stories + day.topStories where stories[story.id]?.title.isEmpty ?? true {
          stories[story.id] = story
        }
      case .image(let image):
        try add(SheetItem(image.image, of: stories[image.image.storyID], on: image.day))
      case .dayFailed, .pageFailed:
        failureCount += 1
        messages.write(failed: element)
      case .answer, .page, .baseFailed: break
      }
    }
  }
}
