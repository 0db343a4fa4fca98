import ArgumentParser
import ImagePipeline

/// `imgcache thumb URL|FILE`: a small picture of an image.
struct ThumbCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thumb",
    abstract: "Makes a thumbnail of an image file, or of an image in the cache or on the network.",
    discussion: """
      imgcache thumb photo.jpg --size 200x200 -o small.jpg
      imgcache thumb https://example.org/a.jpg --size 640x0 --fit inside > a.jpg
      """)

  @Argument(help: ArgumentHelp("The image; '-' is stdin.", valueName: "url|file"))
  var source: String

  @OptionGroup(title: "The thumbnail") var thumbnail: ThumbnailOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write; '-' is stdout (default: -).", valueName: "file|-"))
  var output = "-"

  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "The network") var network: NetworkOptions
  @OptionGroup(title: "The network") var checking: CheckOptions
  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  mutating func run() async throws {
    do {
      let made = try await ImageSource.isURL(source) ? fetched() : read()
      if output == "-" {
        Report.writeBytes(made.bytes.span.bytes, to: 1)
        return
      }
      try FileCopy.write(made.bytes, to: output)
      if common.json { common.report.object(json(made)) }
    } catch let error as ImageError where error.code != .invalidArgument {
      common.report.error("cannot make a thumbnail of \(source): \(error.message)")
      throw ExitStatus.forError(error)
    }
  }

  /// From a file: nothing is kept.
  private func read() throws -> EncodedImage {
    let bytes = try InputFile.read(source, maximum: limits.limits().maximumByteCount)
    return try ImageCodecs.thumbnail(
      of: bytes.span.bytes, recipe: thumbnail.recipe,
      limits: limits.limits(fileByteCount: bytes.count))
  }

  /// From a URL: the original and the thumbnail are kept.
  private func fetched() async throws -> EncodedImage {
    let command = self
    return try await Interruption.whileHandled {
      let session = try Session(
        cache: command.cache, network: command.network, feed: FeedChoice(), common: command.common,
        namedURLs: [command.source], limits: command.limits.limits())
      return try await session.whileOpen {
        var request = ImageRequest(url: command.source)
        request.cachePolicy = command.network.cachePolicy
        request.check = command.checking.check
        let original = try await session.pipeline.data(for: request)
        let made = try await session.pipeline.thumbnail(
          of: original, command.thumbnail.recipe, for: request)
        if let failure = original.storeFailure ?? made.storeFailure {
          command.common.report.note("could not be kept: \(failure.message)")
        }
        return EncodedImage(
          bytes: made.bytes, format: made.format, size: made.size, frameCount: made.frameCount)
      }
    }
  }

  private func json(_ made: EncodedImage) -> JSONLine {
    [
      "file": output, "bytes": made.bytes.count, "format": made.format.rawValue,
      "width": made.size.width, "height": made.size.height, "frames": made.frameCount,
    ]
  }
}
