import ArgumentParser
import ImageModel
import ImagePipeline
import TextEncodings

struct PathCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "path",
    abstract:
      "Prints the path of a read-only file with an image's bytes, or with a thumbnail of it.",
    discussion: .examples(
      """
      imgcache path https://example.org/a.jpg
      imgcache path https://example.org/a.jpg --size 200x200 --make

      The file is valid until it is evicted. Exit status 1: something is not cached.
      """))

  @Argument(help: .value("url", "URLs of images.")) var urls: [String]
  @Option(help: .value("WxH[:FIT]", "Print the path of the thumbnail of this size.")) var size:
    ThumbnailSize?
  @Flag(help: "Make the thumbnail if it is not cached.") var make = false

  @OptionGroup var cached: CachedOptions

  func validate() throws {
    if make, size == nil { throw ValidationError("--make needs --size: it makes that thumbnail") }
    // A URL is looked up as the feed spells it, however odd.
    for url in urls where !ImageSource.isURL(url) { try ImageSource.checkURL(url) }
  }

  mutating func run() async throws {
    let report = cached.report
    let session = try Session(withoutNetwork: cached.common) { cached.cache.apply(to: &$0) }
    let errors = MessageGroups(report)
    for url in urls {
      do {
        let path = try await path(of: url, in: session)
        report.result(.path, ["url": url, "path": path], text: path)
      } catch let error as ImageError {
        errors.fail(url, error, member: "url")
      }
    }
    await session.close()
    try errors.end()
  }

  private func path(of url: String, in session: Session) async throws -> String {
    var request = ImageRequest(url: url)
    if let size {
      request.cache.policy = .onlyIfCached
      request.thumbnail = size.recipe
      request.storage.rule = .always
      request.storage.retention = .pinned
      if make {
        do {
          return try await session.pipeline.file(for: request)
        } catch let error as ImageError where error.code == .notCached {
          throw ImageSource.notCached
        }
      }
      if let path = try await session.pipeline.storedFile(for: request) { return path }
      request.thumbnail = nil
      guard try await session.pipeline.storedFile(for: request) != nil else {
        throw ImageSource.notCached
      }
      throw ImageError(.notCached, "the thumbnail is not cached; --make makes it")
    }
    if let path = try await session.pipeline.storedFile(for: request) { return path }
    throw ImageSource.notCached
  }
}
