import ArgumentParser
import ImagePipeline

/// An image named on the command line: a URL that the cache is asked for, or a file.
enum ImageSource {
  /// Whether the text is an http(s) URL; anything else is the name of a file.
  static func isURL(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    return start.hasPrefix("http://") || start.hasPrefix("https://")
  }

  /// Refuses an argument that has to be a URL and is not one: a mistake on the command line.
  ///
  /// - Throws: `ValidationError`, with what is wrong.
  static func checkURL(_ text: String) throws {
    do throws(ImageError) {
      _ = try WebURL(fetchable: text)
    } catch {
      guard error.code == .invalidURL else { throw ValidationError(error.message) }
      let hint = text.contains("://") ? "" : "; a URL begins with http:// or https://"
      throw ValidationError("\"\(text)\" is not a URL that can be fetched\(hint)")
    }
  }

  /// The bytes, and of a URL the record; nothing is fetched.
  ///
  /// - Throws: ``ImageError`` with code `notCached`, `fileUnreadable`, or `limitExceeded` beyond 64
  ///   MiB.
  static func read(
    _ source: String, from cache: DiskCache?
  ) throws(ImageError) -> ([UInt8], CacheRecord?) {
    guard isURL(source) else {
      return (try InputFile.read(source, maximum: ImageLimits().maximumByteCount), nil)
    }
    guard let entry = cache?.read(.original(url: source)), !entry.record.isNegative else {
      throw ImageError(.notCached, "not kept; 'imgcache get' fetches it")
    }
    // Only the listing of entries fills in groups.
    var record = entry.record
    record.groups = cache?.groups(of: record.key) ?? []
    return (entry.bytes, record)
  }
}
