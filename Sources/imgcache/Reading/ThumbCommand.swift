import ArgumentParser
import ImageCodecs
import ImageModel
import TextEncodings

/// `imgcache thumb URL|FILE`: a thumbnail of an image.
struct ThumbCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thumb",
    abstract: "Makes a thumbnail of an image file, or of an image in the cache or on the network.",
    discussion: """
      imgcache thumb photo.jpg --size 200x200 -o small.jpg
      imgcache thumb https://example.org/a.jpg --size 640x0 --fit inside > a.jpg

      The extension of -o chooses the format: .jpg, .png, .gif or .webp. Without one, and on stdout, --format does.
      """)

  @Argument(help: .value("url|file", "The image; '-' is stdin.")) var source: String

  @OptionGroup(title: "The thumbnail") var thumbnail: ThumbnailOptions

  @Option(
    name: .shortAndLong, help: .value("file|-", "Where to write; '-' is stdout."))
  var output = "-"

  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup var options: FetchingOptions

  func validate() throws {
    _ = try recipe
    try ImageOutput.check(output, isJSON: options.report.json)
  }

  /// The recipe; the extension of `-o` determines the format.
  private var recipe: ThumbnailRecipe {
    get throws {
      var recipe = thumbnail.recipe
      recipe.format = try ImageOutput.format(of: output, asked: recipe.format)
      return recipe
    }
  }

  mutating func run() async throws {
    do {
      let made = try await ImageSource.isURL(source) ? fetched() : read()
      if output == "-" {
        Stream.write(made.bytes.span.bytes, to: 1)
        return
      }
      try OutputFile.write(made.bytes, to: output)
      if options.report.json { options.report.object(json(made)) }
    } catch let error as ImageError where error.code != .invalidArgument {
      throw CommandFailure(
        error, doing: "cannot make a thumbnail of \(source)",
        subject: [("input", source), ("output", output)], event: "thumb")
    }
  }

  private func read() throws -> EncodedImage {
    let bytes = try InputFile.read(source, maximum: limits.limits().maximumByteCount)
    return try ImageCodecs.thumbnail(
      of: bytes.span.bytes, recipe: try recipe,
      limits: limits.limits(fileByteCount: bytes.count))
  }

  private func fetched() async throws -> EncodedImage {
    let command = self
    let recipe = try self.recipe
    return try await Interruption.whileHandled {
      let session = try await Session(
        command.options, namedURLs: [command.source], limits: command.limits.limits())
      return try await session.whileOpen {
        var request = command.options.request(for: command.source)
        request.thumbnail = recipe
        request.storage = .both
        let made = try await session.pipeline.data(for: request)
        if let failure = made.storeFailure {
          command.options.report.note("could not be kept: \(failure.message)")
        }
        guard let format = made.format, let size = made.size else {
          throw ImageError(.corrupt, "no thumbnail was made")
        }
        return EncodedImage(
          bytes: try made.bytes(), format: format, size: size, frameCount: made.frameCount)
      }
    }
  }

  private func json(_ made: EncodedImage) -> JSONLine {
    [
      "event": "thumb", "input": source, "output": output, "status": "ok", "file": output,
      "bytes": made.bytes.count, "format": made.format.rawValue,
      "width": made.size.width, "height": made.size.height, "frames": made.frameCount,
    ]
  }
}
