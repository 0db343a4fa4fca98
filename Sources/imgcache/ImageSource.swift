import FoundationEssentials
import ImagePipeline

/// An image named on the command line: a URL that the cache is asked for, or a file.
enum ImageSource {
  /// Whether the text is an http(s) URL; anything else is the name of a file.
  static func isURL(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  /// The bytes, and of a URL the record; nothing is fetched.
  ///
  /// - Throws: ``ImageError`` with code `notCached`, `fileUnreadable`, or `tooLarge` beyond 64 MiB.
  static func read(
    _ source: String, from cache: DiskCache?
  ) throws(ImageError) -> ([UInt8], CacheRecord?) {
    guard isURL(source) else { return (try readFile(source), nil) }
    guard let entry = cache?.read(.original(url: source)), !entry.record.isNegative else {
      throw ImageError(.notCached, "not kept; 'imgcache get' fetches it")
    }
    // Only the listing of entries fills in groups.
    var record = entry.record
    record.groups = cache?.groups(of: record.key) ?? []
    return (entry.bytes, record)
  }

  /// A file whole.
  static func readFile(_ path: String) throws(ImageError) -> [UInt8] {
    let limit = ImageLimits().maximumByteCount
    do {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      if attributes[.type] as? FileAttributeType == .typeDirectory {
        throw ImageError(.fileUnreadable, "\(path) is a directory")
      }
      if let size = attributes[.size] as? UInt64, size > UInt64(limit) {
        throw ImageError(.tooLarge, "\(path) has \(size) bytes, more than the \(limit) allowed")
      }
      return [UInt8](try Data(contentsOf: URL(filePath: path)))
    } catch let error as ImageError {
      throw error
    } catch {
      throw ImageError(.fileUnreadable, "cannot read \(path)")
    }
  }
}
