import ImageModel

/// A day as the union of the same day of several feeds.
///
/// Stories keep the order of the feeds. A story to which two feeds give the same name (the same
/// identifier, and the same link or title) is one story with the images of both; two different
/// stories with one identifier, such as two plain lists, get `-2`, `-3`… appended to it, so that
/// each can be requested.
struct DayUnion: Sendable {
  private(set) var day: FeedDay
  /// The feed of each story and the story as it named it, by its identifier in the union.
  private var origins: [String: (feed: Int, story: FeedStory)] = [:]

  /// Joins the same day of several feeds, each with the number that the caller gives its feed;
  /// `nil` for none.
  init?(_ days: [(feed: Int, day: FeedDay)]) {
    guard let first = days.first else { return nil }
    day = FeedDay(day: first.day.day, source: first.day.source)
    day.origin = first.day.origin
    for (feed, other) in days { add(other, of: feed) }
  }

  /// Takes images out of the stories.
  mutating func leaveOut(_ urls: Set<String>) { day.leaveOut(urls) }

  /// The feed that named a story of the union, and the story as it named it.
  func origin(of id: String) -> (feed: Int, story: FeedStory)? { origins[id] }

  private mutating func add(_ other: FeedDay, of feed: Int) {
    if other.origin != day.origin { day.origin = nil }
    var names: [String: String] = [:]
    for (list, stories) in [(\FeedDay.stories, other.stories), (\.topStories, other.topStories)] {
      let positions = Dictionary(zip(day[keyPath: list].map(\.id), 0...)) { first, _ in first }
      for story in stories { add(story, of: feed, &names, at: positions[story.id], to: list) }
    }
    day.warnings += other.warnings
  }

  /// `names` has the identifiers that the feed's stories got in the union; at `position` is a story
  /// with that identifier that another feed named.
  private mutating func add(
    _ story: FeedStory, of feed: Int, _ names: inout [String: String], at position: Int?,
    to list: WritableKeyPath<FeedDay, [FeedStory]>
  ) {
    if let position, names[story.id] == nil || names[story.id] == story.id,
      Self.isSame(day[keyPath: list][position], story)
    {
      let known = Set(day[keyPath: list][position].images.map { ExactString($0.url) })
      day[keyPath: list][position].images += story.images.filter {
        !known.contains(ExactString($0.url))
      }
      names[story.id] = story.id
      return
    }
    let name = names[story.id] ?? name(for: story, of: feed)
    names[story.id] = name
    if origins[name] == nil { origins[name] = (feed, story) }
    var story = story
    if name != story.id {
      story.id = name
      for index in story.images.indices { story.images[index].storyID = name }
    }
    day[keyPath: list].append(story)
  }

  /// The story's identifier, or the next free one where another story of another feed has it.
  private func name(for story: FeedStory, of feed: Int) -> String {
    func isFree(_ name: String) -> Bool {
      guard let origin = origins[name] else { return true }
      return origin.feed == feed || Self.isSame(origin.story, story)
    }
    if isFree(story.id) { return story.id }
    var number = 2
    while !isFree("\(story.id)-\(number)") { number += 1 }
    return "\(story.id)-\(number)"
  }

  private static func isSame(_ one: FeedStory, _ other: FeedStory) -> Bool {
    guard one.id == other.id else { return false }
    if let link = one.link, let otherLink = other.link { return link == otherLink }
    return !one.title.isEmpty && one.title == other.title
  }
}
