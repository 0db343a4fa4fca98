import ArgumentParser
import DiskCaching
import ImageModel

enum ImageSource {
  static func isURL(_ text: String) -> Bool {
    let start = text.prefix(8).lowercased()
    return ["http://", "https://", "s3://"].contains { start.hasPrefix($0) }
  }

  /// The name of an image's URL or path in JSON.
  static func member(of text: String) -> String { isURL(text) ? "url" : "path" }

  static func checkURL(_ text: String) throws {
    let isS3 = S3Address.isNamed(by: text)
    do throws(ImageError) {
      if isS3 { _ = try S3Address(fetchable: text) } else { _ = try WebURL(fetchable: text) }
    } catch {
      try require(!isS3 && error.code == .invalidURL, error.message)
      let hint = text.contains("://") ? "" : "; a URL begins with http://, https:// or s3://"
      throw ValidationError("\"\(text)\" is not a URL that can be fetched\(hint)")
    }
  }

  static let notCached = ImageError(.notCached, "not cached; 'imgcache get' fetches it")

  /// Returns the bytes and, for a URL, the record; fetches nothing.
  static func read(
    _ source: String, from cache: DiskCache?
  ) async throws(ImageError) -> ([UInt8], CacheRecord?) {
    guard isURL(source) else {
      return (try InputFile.read(source, maximum: ImageLimits().maximumByteCount), nil)
    }
    guard let entry = await cache?.read(.image(at: source)), !entry.record.isNegative else {
      throw notCached
    }
    // Only listings include the groups.
    var record = entry.record
    record.groups = await cache?.groups(of: record.key) ?? []
    return (entry.bytes, record)
  }
}
