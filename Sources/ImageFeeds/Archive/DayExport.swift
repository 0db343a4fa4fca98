import DiskCaching
import ImageCodecs
public import ImageModel
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif

/// Readable copies of the images of days: `DIR/YYYYMMDD/{story,top,body}-{id}-{n}.{ext}`, with an
/// `index.json` and an `index.html` in each folder and an `index.html` above them; or the same as a
/// ZIP file; or the days as a comic book or an EPUB. All have the texts of stories in the cache,
/// but for a comic book.
///
/// Events of a prefetch are gathered; ``DayArchive/place(_:)`` places the files.
/// Several feeds and several runs can be exported into one folder or file: a file of another URL,
/// or of anything else, is never overwritten.
public struct DayExport: Sendable {
  typealias Story = (story: FeedStory, source: FeedSource)

  fileprivate struct Day {
    var entries: [Entry] = []
    var stories: [Story] = []
    /// The URLs of the images of each story; several may name one.
    var images: [[String]] = []
    /// The story of each image, by URL; if several name one, the first counts.
    var owners: [ExactString: Int] = [:]
    /// Images that a filter left out, also of texts.
    var skipped: Set<ExactString> = []
    /// The stories of the feed that answers, by their identifiers.
    var current: [String: Int] = [:]
  }

  /// One image of the index. Its bytes stay in the cache until they are placed, however many there
  /// are.
  fileprivate struct Entry {
    var item: DayImage
    var byteCount: Int?
    var format: ImageFormat?
    var size: PixelSize?
    var bytes: [UInt8]?
    var thumbnails: [ExportFolder.Thumbnail] = []
  }

  private let path: String
  private let links: Bool
  private let placeholder: (path: String, format: ImageFormat)?
  private let names: ExportNames
  private var gathered: [DayKey: Day] = [:]
  private var source = FeedSource.zhihuDaily
  /// The feeds of the run, also those that failed.
  private(set) var sources: Set<FeedSource> = []

  /// Prepares an export.
  ///
  /// - Parameters:
  ///   - path: The folder, or a file whose name ends with `.zip`, `.cbz` (a comic book with
  ///     `ComicInfo.xml`) or `.epub` (EPUB 3); created when the files are placed. A ZIP file keeps
  ///     the days that it has, a comic book and an EPUB are written again. These have WebP, AVIF
  ///     and HEIC as JPEG, or as PNG with alpha.
  ///   - links: Whether files are hard links to those of the cache if that is possible. Default: no,
  ///     copies, which share the blocks if the file system supports it (a reflink).
  ///   - placeholder: The file placed for images that failed. Default: they have no file.
  ///   - names: The names of the images that have none in the index. Default: `{role}-{id}-{n}`.
  /// - Throws: `ImageError` when the placeholder cannot be read or is not an image, or the path is
  ///   empty, begins with `~`, which only a shell expands, or is that of a file that is not an
  ///   export; or for hard links in a file, or names in a comic book or an EPUB.
  public init(
    _ path: String, links: Bool = false, placeholder: String? = nil,
    names: ExportNames = .standard
  ) throws(ImageError) {
    self.path = path
    self.links = links
    self.names = names
    try ExportTarget.check(path, links: links, names: names)
    self.placeholder = try placeholder.map { path throws(ImageError) in
      guard let data = try? Data(contentsOf: URL(filePath: path)) else {
        throw ImageError(.invalidArgument, "cannot read the placeholder \(path)")
      }
      guard let format = ImageFormat(sniffing: [UInt8](data.prefix(64)).span.bytes) else {
        throw ImageError(.invalidArgument, "the placeholder \(path) is not an image")
      }
      return (path, format)
    }
  }

  /// Adds the stories or the image of an event of a prefetch.
  public mutating func add(_ event: ArchiveEvent) {
    switch event {
    case .image(let image): add(image)
    case .listed(.answer(_, let answering)):
      source = answering
      sources.insert(answering)
    case .listed(.dayFailed(_, _, let failed)): sources.insert(failed)
    case .listed(.day(let day, _)): add(day)
    case .listed(.page(let images, let day)):
      for image in images {
        guard let story = gathered[day]?.current[image.storyID] else { continue }
        gathered[day]?.owners[ExactString(image.url), default: story] = story
        gathered[day]?.images[story].append(image.url)
      }
    case .skipped(let image):
      gathered[image.day, default: Day()].skipped.insert(ExactString(image.image.url))
    case .listed, .planned, .warning, .overLimit, .ended: break
    }
  }

  private mutating func add(_ answer: FeedDay) {
    var day = gathered.removeValue(forKey: answer.day) ?? Day()
    day.current = [:]
    for story in answer.stories + answer.topStories {
      let number = day.current[story.id] ?? day.stories.count
      if number == day.stories.count {
        day.stories.append((story, source))
        day.images.append([])
      }
      day.current[story.id] = number
      for image in story.images {
        if day.owners[ExactString(image.url)] == nil {
          day.owners[ExactString(image.url)] = number
        }
        day.images[number].append(image.url)
      }
    }
    gathered[answer.day] = day
  }

  private mutating func add(_ archived: ArchivedImage) {
    var entry = Entry(item: archived.image)
    if case .success(let loaded) = archived.outcome {
      (entry.byteCount, entry.format, entry.size) = (loaded.byteCount, loaded.format, loaded.size)
      if loaded.storeFailure != nil { entry.bytes = try? loaded.bytes() }
    }
    entry.thumbnails = archived.thumbnails.compactMap { made in
      guard case .success(let made) = made, let path = made.path, let size = made.size,
        let format = made.format
      else { return nil }
      return ExportFolder.Thumbnail(path: path, size: size, suffix: format.fileExtension)
    }
    gathered[archived.image.day, default: Day()].entries.append(entry)
  }

  /// Whether the file is written again from the days of this run alone.
  var isBook: Bool { ExportTarget.isBook(path) }

  /// Adds the stories of a day in the cache that the run did not have: the feed has dropped them, or
  /// was not available.
  mutating func complete(_ kept: FeedDay, of source: FeedSource, leavingOut urls: Set<String>) {
    gathered[kept.day]?.skipped.formUnion(urls.map(ExactString.init))
    let known = Set(stories(of: kept.day).filter { $0.source == source }.map(\.story.id))
    for story in kept.stories + kept.topStories where !known.contains(story.id) {
      gathered[kept.day]?.stories.append((story, source))
      gathered[kept.day]?.images.append([])
    }
  }

  /// The days that have images or stories, oldest first.
  var days: [DayKey] {
    gathered.filter { !$0.value.entries.isEmpty || !$0.value.stories.isEmpty }.keys.sorted()
  }

  func stories(of day: DayKey) -> [Story] { gathered[day]?.stories ?? [] }

  func open() throws(ImageError) -> ExportTarget? {
    days.isEmpty ? nil : try ExportTarget(path, links: links)
  }

  func write(
    _ key: DayKey, pages: [StoryPage?], to target: ExportTarget, from store: DiskStore
  ) throws(ImageError) -> [String] {
    guard var day = gathered[key] else { return [] }
    let stories = day.stories.indices.map { number in
      let page = number < pages.count ? pages[number] : nil
      return day.story(number, with: page, on: key, from: store)
    }
    let folder = try ExportFolder(target.directory, day: key, links: target.links)
    for story in stories { folder.index.add(story) }
    var failure: ImageError?
    for entry in day.entries.sorted(by: { Self.order($0.item) < Self.order($1.item) }) {
      let story = day.owners[ExactString(entry.item.image.url)].map { stories[$0] }
      do throws(ImageError) { try place(entry, of: story, in: folder, from: store) } catch {
        failure = failure ?? error
      }
    }
    try folder.writeIndex()
    guard target.hasPages else {
      if let failure { throw failure }
      return []
    }
    let page = ExportPage(
      folder.index, overview: ExportPageFile.name(in: target.directory),
      neighbors: ExportNeighbors(of: key, in: target.directory, with: days))
    let name = try ExportPageFile.write(page.html, in: folder.path)
    if let failure { throw failure }
    return ExportPageFile.note(on: name, in: folder.path).map { [$0] } ?? []
  }

  private func place(
    _ entry: Entry, of story: ExportIndex.Story?, in folder: ExportFolder, from store: DiskStore
  ) throws(ImageError) {
    let image = entry.item.image
    var line = ExportIndex.Image(
      url: image.url, role: image.role.rawValue, storyID: image.storyID)
    line.title = story?.title
    line.author = story?.author
    line.link = story?.link
    line.date = story?.date ?? entry.item.day.dashed
    let stem = names.stem(of: image, in: story, day: entry.item.day)
    if let byteCount = entry.byteCount {
      line.bytes = byteCount
      line.format = entry.format?.rawValue
      line.width = entry.size?.width
      line.height = entry.size?.height
      let content: ExportFile.Content
      if let bytes = entry.bytes {
        content = .bytes(bytes)
      } else if let path = store.path(for: .image(at: image.url)) {
        content = .cached(path: path)
      } else {
        folder.record(line)
        throw ImageError(
          .storeFailed,
          "cannot export \(image.url): it was evicted first; raise the size limit of the cache",
          url: image.url)
      }
      return try folder.place(
        content, stem: stem, extension: entry.format?.fileExtension ?? "bin", line,
        thumbnails: entry.thumbnails)
    } else {
      line.failed = true
      // An earlier export may have the image itself.
      if let placeholder, !folder.hasFile(of: image.url) {
        line.placeholder = true
        return try folder.place(
          .file(path: placeholder.path), stem: stem, extension: placeholder.format.fileExtension,
          line)
      }
    }
    folder.record(line)
  }

  /// The order of the images of a run: the first of two with the same file name gets it.
  private static func order(_ item: DayImage) -> (Int, String, Int, Int) {
    let image = item.image
    let role = FeedImage.Role.allCases.firstIndex(of: image.role) ?? 0
    return (role, image.storyID, image.index, item.number)
  }
}

extension DayExport.Day {
  /// The story for the index, with its text. Images of its text that the run did not load, and that
  /// are in the cache, become entries.
  fileprivate mutating func story(
    _ number: Int, with page: StoryPage?, on key: DayKey, from store: DiskStore
  ) -> ExportIndex.Story {
    let story = stories[number].story
    let named = Locked<[String]>([])
    // The addresses of images stay until it is known which of them have files.
    let text = try? page?.sanitized { [skipped] url in
      guard !skipped.contains(ExactString(url)) else { return nil }
      named.withLock { $0.append(url) }
      return PageImage(source: url)
    }
    var known: Set<ExactString> = []
    let inPage = (named.withLock { $0 } + [page?.header].compactMap(\.self)).enumerated().map {
      FeedImage(url: $1, role: .body, storyID: story.id, index: $0)
    }
    for image in story.images + inPage
    where !skipped.contains(ExactString(image.url))
      && known.insert(ExactString(image.url)).inserted
    {
      if owners[ExactString(image.url)] == nil {
        guard let entry = DayExport.Entry(image, on: key, from: store) else { continue }
        owners[ExactString(image.url)] = number
        entries.append(entry)
      }
      images[number].append(image.url)
    }
    known = []
    return ExportIndex.Story(
      story, on: key, text: text,
      images: images[number].filter {
        !skipped.contains(ExactString($0)) && known.insert(ExactString($0)).inserted
      })
  }
}

extension DayExport.Entry {
  /// An image that the run did not load; `nil` if it is not in the cache.
  fileprivate init?(_ image: FeedImage, on day: DayKey, from store: DiskStore) {
    guard let record = store.record(for: .image(at: image.url)), !record.isNegative,
      let bytes = store.path(for: .image(at: image.url)).flatMap({ ExportFile.read($0) }),
      let format = ImageFormat(sniffing: bytes.span.bytes)
    else { return nil }
    self.init(item: DayImage(day: day, image: image, number: .max))
    (byteCount, self.format) = (bytes.count, format)
    size = (try? ImageCodecs.info(of: bytes.span.bytes))?.size
  }
}

extension ExportIndex.Story {
  /// - Parameter day: The day that the story is filed under; it may be an earlier one's.
  fileprivate init(_ story: FeedStory, on day: DayKey, text: String?, images: [String]) {
    let published = story.publicationPrefix.flatMap { DayKey($0, before: day) }
    self.init(
      id: story.id, title: story.title.isEmpty ? nil : story.title, author: story.hint,
      link: story.link, date: (published ?? day).dashed, feed: story.feed, text: text,
      images: images.isEmpty ? nil : images)
  }
}

extension DayKey {
  /// The last day up to another one that begins with `MMDD`.
  fileprivate init?(_ prefix: String, before day: DayKey) {
    let year = day.parts.year
    guard prefix.utf8.count >= 4,
      let found = [year, year - 1].lazy.compactMap({ DayKey("\($0)\(prefix.prefix(4))") })
        .first(where: { $0 <= day })
    else { return nil }
    self = found
  }
}
