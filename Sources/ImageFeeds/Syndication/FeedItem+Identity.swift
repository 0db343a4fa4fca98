import ImageModel

/// Which items are one.
///
/// An item is named by its identifier, else by its link, else by its title and date. Feeds reuse
/// identifiers, so that items of one name need not be one; each has a story of its own identifier.
extension FeedItem {
  /// What the item is named by; a URL of a list, by itself.
  var name: ExactString {
    if isListed { return ExactString(story.images[0].url) }
    if let given = guid ?? story.link { return ExactString(given) }
    return ExactString("\n" + (story.title.isEmpty ? urls.joined(separator: "\n") : story.title))
  }

  /// The identity of the item among those that its feed is known to have had.
  var key: ExactString { isListed ? ExactString(story.images[0].url) : ExactString(story.id) }

  /// The identity of an item without a date when its feed is read again.
  var undatedKey: ExactString {
    guard !isListed, isUnnamed else { return key }
    return ExactString(([story.title] + urls).joined(separator: "\n"))
  }

  private var isUnnamed: Bool { guid == nil && story.link == nil }

  private var urls: [String] { story.images.map(\.url) }

  private var traits: [String] {
    [published.map { "\($0)" } ?? "", story.link ?? "", story.title]
  }

  /// Short, and the same whenever the item is read.
  var digest: String {
    let parts = isUnnamed && published != nil ? [] : urls + [page?.html ?? ""]
    return hash(of: traits + parts)
  }

  private func hash(of parts: [String]) -> String {
    var text = parts.joined(separator: "\n")
    return String(text.withUTF8 { SHA256.hash(of: UnsafeRawBufferPointer($0)) }.hex.prefix(12))
  }

  mutating func rename(to id: String) {
    story.id = id
    for index in story.images.indices { story.images[index].storyID = id }
  }

  /// Renames the story if its identifier is taken, and takes it. URLs of a list share theirs.
  mutating func claimID(in taken: inout Set<String>) {
    guard !isListed, !taken.insert(story.id).inserted else { return }
    let id = "\(story.id)-\(hash(of: traits + urls).prefix(8))"
    var free = id
    var number = 2
    while !taken.insert(free).inserted {
      free = "\(id)-\(number)"
      number += 1
    }
    rename(to: free)
  }

  /// The items of one document, each with an identifier of its own. Of those that are alike in all
  /// but their images, the first has the images of all.
  static func distinct(_ items: [FeedItem]) -> [FeedItem] {
    var distinct: [FeedItem] = []
    var places: [[ExactString]: Int] = [:]
    var taken: Set<String> = []
    for var item in items {
      let sign = ([item.name.text] + item.traits + [item.page?.html ?? ""]).map(ExactString.init)
      if !item.isListed, let place = places[sign] {
        distinct[place].addImages(of: item)
        continue
      }
      places[sign] = distinct.count
      item.claimID(in: &taken)
      distinct.append(item)
    }
    return distinct
  }

  private mutating func addImages(of other: FeedItem) {
    var known = Set(urls.map(ExactString.init))
    for var image in other.story.images where known.insert(ExactString(image.url)).inserted {
      image.storyID = story.id
      image.index = story.images.count { $0.role == image.role }
      story.images.append(image)
    }
  }

  /// Whether an item of the same name that was kept is an earlier state of this one.
  ///
  /// - Parameter isContested: Whether there are several items of that name.
  private func continues(_ kept: FeedItem, isContested: Bool) -> Bool {
    if isListed { return true }
    func agree<Value: Equatable>(_ one: Value?, _ other: Value?) -> Bool? {
      one.flatMap { one in other.map { one == $0 } }
    }
    let date = agree(published, kept.published)
    // A link in place of an identifier says nothing more than that.
    let link = guid == nil ? nil : agree(story.link, kept.story.link)
    let isSameTitle = story.title == kept.story.title
    var sharesImage: Bool?
    if !urls.isEmpty, !kept.urls.isEmpty {
      sharesImage = !Set(urls.map(ExactString.init)).isDisjoint(
        with: kept.urls.map(ExactString.init))
    }
    if isContested {
      let likeness = [date == true, link == true, isSameTitle, sharesImage == true].count { $0 }
      return likeness > 1 && !(date == false && sharesImage == false)
    }
    if isUnnamed { return date ?? (sharesImage != false) }
    if date == true || link == true { return true }
    guard date == false else { return true }
    return sharesImage != false && link != false && (sharesImage == true || isSameTitle)
  }

  /// For each item the position of its earlier state among those that were kept, if any.
  static func matches(of items: [FeedItem], in kept: [FeedItem]) -> [Int?] {
    func sign(_ item: FeedItem) -> [ExactString] {
      ([item.name.text] + item.traits).map(ExactString.init)
    }
    let alike = Dictionary(zip(kept.map(sign), kept.indices)) { first, _ in first }
    let named = Dictionary(grouping: kept.indices) { kept[$0].name }
    var used: Set<Int> = []
    var matches = items.map { item in
      alike[sign(item)].flatMap { used.insert($0).inserted ? $0 : nil }
    }
    let counts = Dictionary(items.map { ($0.name, 1) }, uniquingKeysWith: +)
    for (index, item) in items.enumerated() where matches[index] == nil {
      // Of a name that a feed gives to everything, only items that have not changed are found.
      guard let others = named[item.name], others.count <= maximumNamesakes else { continue }
      let isContested = others.count > 1 || counts[item.name] != 1
      matches[index] = others.first {
        !used.contains($0) && item.continues(kept[$0], isContested: isContested)
      }
      if let found = matches[index] { used.insert(found) }
    }
    return matches
  }

  private static let maximumNamesakes = 200
}
