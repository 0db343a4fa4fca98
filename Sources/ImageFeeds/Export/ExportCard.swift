import ImageModel

/// A story of an exported day with its images.
struct ExportCard {
  var story: ExportIndex.Story
  var images: [ExportIndex.Image] = []
}

extension ExportIndex {
  /// Stories in the order of the index, then images of stories that it does not have. An image that
  /// several stories name is one of each.
  var cards: [ExportCard] {
    var cards = stories.map { ExportCard(story: $0) }
    var positions = Dictionary(
      zip(cards.map(\.story.key), cards.indices), uniquingKeysWith: { first, _ in first })
    var users: [ExactString: [Int]] = [:]
    for (position, story) in stories.enumerated() {
      for url in story.images ?? [] { users[ExactString(url), default: []].append(position) }
    }
    for image in images {
      if let users = users[ExactString(image.url)] {
        for position in users { cards[position].images.append(image) }
        continue
      }
      let story = ExportIndex.Story(
        id: image.storyID, title: image.title, author: image.author, link: image.link,
        date: image.date)
      let position = positions[story.key] ?? cards.count
      if position == cards.count {
        positions[story.key] = position
        cards.append(ExportCard(story: story))
      }
      cards[position].images.append(image)
    }
    return cards
  }
}
