import ImageFeeds
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Readable copies of the days' images: `DIR/YYYYMMDD/{story,top,body}-{id}-{n}.{ext}` and an
/// `index.json`.
///
/// Entries are gathered while images arrive; ``write()`` does the copying. What is in a folder
/// stays, see ``ExportFolder``, so that several feeds and several runs can be exported into one.
struct DayExport: Sendable {
  /// One image of the index. Its bytes lie in the cache until they are placed, however many there
  /// are.
  private struct Entry {
    var item: PrefetchItem
    var response: Response?
  }

  private struct Response {
    var byteCount: Int
    var format: ImageFormat?
    var size: PixelSize?
    /// Only of what could not be kept.
    var bytes: [UInt8]?
  }

  private let directory: String
  private let cache: DiskCache
  private let mode: FileCopy.Mode
  private let placeholder: (path: String, format: ImageFormat)?
  private var days: [DayKey: [Entry]] = [:]

  /// - Parameters:
  ///   - linking: Hard links instead of copies.
  ///   - placeholder: The file that stands in for what failed; without one a failed image has no
  ///     file.
  /// - Throws: ``ImageError`` when the placeholder cannot be read or is no image.
  init(directory: String, linking: Bool, placeholder: String?, cache: DiskCache) throws {
    self.directory = directory
    self.cache = cache
    mode = linking ? .hardLink : .copy
    self.placeholder = try placeholder.map { path in
      guard let data = try? Data(contentsOf: URL(filePath: path)) else {
        throw ImageError(.fileUnreadable, "cannot read the placeholder \(path)")
      }
      guard let format = ImageFormat(sniffing: [UInt8](data.prefix(64)).span.bytes) else {
        throw ImageError(.invalidArgument, "the placeholder \(path) is not an image")
      }
      return (path, format)
    }
  }

  /// Notes an image for the export; a failed one is noted without a response.
  mutating func add(_ item: PrefetchItem, _ response: DataResponse?) {
    let noted = response.map {
      Response(
        byteCount: $0.byteCount, format: $0.format, size: $0.size,
        bytes: $0.storeFailure == nil ? nil : try? $0.bytes())
    }
    days[item.day, default: []].append(Entry(item: item, response: noted))
  }

  /// Places the files and the index of each day.
  ///
  /// - Throws: The first ``ImageError`` (`storeFailed`, `diskFull`) after all else was placed.
  func write() throws(ImageError) {
    var failure: ImageError?
    for (day, entries) in days.sorted(by: { $0.key < $1.key }) {
      do throws(ImageError) {
        let folder = try ExportFolder(directory, day: day.description, mode: mode)
        for entry in entries.sorted(by: { Self.order($0.item) < Self.order($1.item) }) {
          do throws(ImageError) { try place(entry, in: folder) } catch {
            failure = failure ?? error
          }
        }
        try folder.writeIndex()
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
  }

  private func place(_ entry: Entry, in folder: ExportFolder) throws(ImageError) {
    let image = entry.item.image
    var line = ExportIndex.Image(
      url: image.url, role: image.role.rawValue, storyID: image.storyID)
    let stem = Self.stem(of: image)
    if let response = entry.response {
      line.bytes = response.byteCount
      line.format = response.format?.rawValue
      line.width = response.size?.width
      line.height = response.size?.height
      let content =
        response.bytes.map(ExportFolder.Content.bytes)
        ?? cache.path(for: .original(url: image.url)).map(ExportFolder.Content.cached)
      guard let content else {
        folder.note(line)
        throw ImageError(
          .storeFailed,
          "cannot export \(image.url): evicted before it could be placed; raise --max-size")
      }
      return try folder.place(
        content, stem: stem, extension: response.format?.fileExtension ?? "bin", line)
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
    folder.note(line)
  }

  private static func stem(of image: FeedImage) -> String {
    let role =
      switch image.role {
      case .story: "story"
      case .topStory: "top"
      case .body: "body"
      }
    return "\(role)-\(safe(image.storyID))-\(image.index)"
  }

  /// Of two images that want one name the first of the run gets it.
  private static func order(_ item: PrefetchItem) -> (Int, String, Int, Int) {
    let image = item.image
    let role =
      switch image.role {
      case .story: 0
      case .topStory: 1
      case .body: 2
      }
    return (role, image.storyID, image.index, item.number)
  }

  /// An identifier as part of a file name: letters, digits, `_` and `-` stay, anything else becomes
  /// `_`, and a checksum then keeps two identifiers apart that would look alike.
  private static func safe(_ identifier: String) -> String {
    let plain = String(
      identifier.prefix(80).map {
        $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "_"
      })
    guard plain != identifier else { return plain }
    let checksum = Array(identifier.utf8).withUnsafeBytes { CRC32C.checksum(of: $0) }
    return plain + "_" + String(checksum, radix: 16)
  }
}
