import ArgumentParser
import ImagePipeline

/// `imgcache thumb FILE`: a small picture of an image file.
struct ThumbCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "thumb",
    abstract: "Makes a thumbnail of an image file.",
    discussion: "imgcache thumb photo.jpg --size 200x200 -o small.jpg")

  @Argument(help: "The image; '-' is stdin.") var file: String

  @OptionGroup(title: "The thumbnail") var thumbnail: ThumbnailOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write; '-' is stdout (default: -).", valueName: "file|-"))
  var output = "-"

  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  func run() throws {
    do {
      let bytes = try InputFile.read(file, maximum: limits.limits().maximumByteCount)
      let made = try ImageCodecs.thumbnail(
        of: bytes.span.bytes, recipe: thumbnail.recipe,
        limits: limits.limits(fileByteCount: bytes.count))
      if output == "-" {
        Report.writeBytes(made.bytes.span.bytes, to: 1)
        return
      }
      try FileCopy.write(made.bytes, to: output)
      if common.json { common.report.object(json(made)) }
    } catch let error as ImageError where error.code != .invalidArgument {
      common.report.error("cannot make a thumbnail of \(file): \(error.message)")
      throw ExitStatus.forError(error)
    }
  }

  private func json(_ made: EncodedImage) -> JSONLine {
    [
      "file": output, "bytes": made.bytes.count, "format": made.format.rawValue,
      "width": made.size.width, "height": made.size.height, "frames": made.frameCount,
    ]
  }
}
