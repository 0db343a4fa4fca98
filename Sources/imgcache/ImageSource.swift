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
  /// - Throws: ``ImageError`` with code `notCached`, `fileUnreadable`, or `limitExceeded` beyond 64 MiB.
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
