import DiskCaching
import ImageCodecs
import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Readable copies of the images of days: `DIR/YYYYMMDD/{story,top,body}-{id}-{n}.{ext}` and an
/// `index.json` in each folder.
///
/// Entries are gathered while images arrive; ``write(from:)`` places the files. Several feeds and
/// several runs can be exported into one folder: a file of another URL, or of anything else, is
/// never overwritten.
public struct DayExport: Sendable {
  /// How a file of the cache becomes one of the export.
  public enum Placement: Sendable {
    /// Shares the blocks if the file system supports it (a reflink), else copies the bytes.
    case copy
    /// A second name for the same file; a copy if that is not possible.
    case hardLink
  }

  /// One image of the index. Its bytes stay in the cache until they are placed, however many there
  /// are.
  private struct Entry {
    var item: DayImage
    var response: Response?
  }

  private struct Response {
    var byteCount: Int
    var format: ImageFormat?
    var size: PixelSize?
    /// Only of an image that could not be kept.
    var bytes: [UInt8]?
  }

  private let directory: String
  private let placement: Placement
  private let placeholder: (path: String, format: ImageFormat)?
  private var days: [DayKey: [Entry]] = [:]

  /// Prepares an export.
  ///
  /// - Parameters:
  ///   - directory: The folder; created when the files are placed.
  ///   - placement: How the files are made. Default: as copies.
  ///   - placeholder: The file placed for images that failed. Default: they have no file.
  /// - Throws: ``ImageError`` when the placeholder cannot be read or is not an image.
  public init(
    _ directory: String, placement: Placement = .copy, placeholder: String? = nil
  ) throws(ImageError) {
    self.directory = directory
    self.placement = placement
    if let placeholder {
      guard let data = try? Data(contentsOf: URL(filePath: placeholder)) else {
        throw ImageError(.fileUnreadable, "cannot read the placeholder \(placeholder)")
      }
      guard let format = ImageFormat(sniffing: [UInt8](data.prefix(64)).span.bytes) else {
        throw ImageError(.invalidArgument, "the placeholder \(placeholder) is not an image")
      }
      self.placeholder = (placeholder, format)
    } else {
      self.placeholder = nil
    }
  }

  /// Adds an image, also one that failed.
  public mutating func add(_ archived: ArchivedImage) {
    var response: Response?
    if case .success(let loaded) = archived.outcome {
      response = Response(
        byteCount: loaded.byteCount, format: loaded.format, size: loaded.size,
        bytes: loaded.storeFailure == nil ? nil : try? loaded.bytes())
    }
    days[archived.image.day, default: []].append(Entry(item: archived.image, response: response))
  }

  /// Places the files and the index of each day.
  ///
  /// - Parameter cache: The cache that has the images.
  /// - Throws: The first ``ImageError`` (`storeFailed`, `diskFull`), after all else was placed.
  public func write(from cache: DiskCache) async throws(ImageError) {
    // At once on one thread that may block: the folders are locked meanwhile.
    try await cache.perform { store throws(ImageError) in try write(from: store) }
  }

  private func write(from store: DiskStore) throws(ImageError) {
    var failure: ImageError?
    for (day, entries) in days.sorted(by: { $0.key < $1.key }) {
      do throws(ImageError) {
        let folder = try ExportFolder(directory, day: day.description, placement: placement)
        for entry in entries.sorted(by: { Self.order($0.item) < Self.order($1.item) }) {
          do throws(ImageError) { try place(entry, in: folder, from: store) } catch {
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

  private func place(
    _ entry: Entry, in folder: ExportFolder, from store: DiskStore
  ) throws(ImageError) {
    let image = entry.item.image
    var line = ExportIndex.Image(
      url: image.url, role: image.role.rawValue, storyID: image.storyID)
    let stem = Self.stem(of: image)
    if let response = entry.response {
      line.bytes = response.byteCount
      line.format = response.format?.rawValue
      line.width = response.size?.width
      line.height = response.size?.height
      let content: ExportFolder.Content
      if let bytes = response.bytes {
        content = .bytes(bytes)
      } else if let path = store.path(for: .original(url: image.url)) {
        content = .cached(path: path)
      } else {
        folder.note(line)
        throw ImageError(
          .storeFailed,
          "cannot export \(image.url): it was evicted first; raise the size limit of the cache")
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
    "\(image.role.shortName)-\(safe(image.storyID))-\(image.index)"
  }

  /// If two images want one name, the first of the run gets it.
  private static func order(_ item: DayImage) -> (Int, String, Int, Int) {
    let image = item.image
    let role = FeedImage.Role.allCases.firstIndex(of: image.role) ?? 0
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
