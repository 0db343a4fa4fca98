public import ArgumentParser
import ImageCodecs
import ImageModel
import TextEncodings

extension FrameFolder.Format: ExpressibleByArgument {}

struct DecodeCommand: ParsableCommand, FileNaming {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Writes the pixels of every frame of an image file.",
    usage: "imgcache decode [<options>] <file>",
    discussion: """
      imgcache decode cat.gif --frames out
      imgcache decode photo.jpg --json
      """)

  @Argument(help: "The image file; '-' is stdin.", completion: .file()) var file: String

  @Option(
    help: .value("dir", "Write the frames to this folder.", "Without it, they are only decoded."),
    completion: .directory)
  var frames: String?

  @Option(help: "The format of the frames.") var format = FrameFolder.Format.png
  @Flag(help: .text("Decode all frames of an animated PNG.", "Without it, its default image."))
  var apng = false
  @Flag(help: "Write what can be read of a damaged file.") var partial = false

  @Flag(
    help: .text(
      "Report delays as they are in the file.",
      "Without it, delays of 10 ms or less are reported as 100 ms, as in browsers."))
  var rawDelays = false

  @Option(help: .value("space", "The colours.", "srgb converts from the embedded profile."))
  var color = DecodingOptions.Color.asIs

  @OptionGroup(title: "Limits", visibility: .fullHelp) var limits: LimitOptions
  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  var fileNames: [String] { [file] }

  func run() throws {
    do {
      try decode()
    } catch let error as ImageError where !error.code.isOfEnvironment {
      throw CommandFailure(
        error, doing: error.doing("cannot decode", file), subject: [("path", file)],
        status: ExitStatus.incomplete)
    }
  }

  private func decode() throws {
    let bytes = try InputFile.read(file, maximum: limits.limits().maximumByteCount)
    var options = DecodingOptions()
    options.allowsPartial = partial
    options.animatesPNG = apng
    options.color = color
    let reader = try FrameReader(
      bytes.span.bytes, limits: try limits.limits(fileByteCount: bytes.count), options: options)
    let folder = try frames.map { try FrameFolder($0, format: format) }
    var written: [JSONLine] = []
    while let frame = try reader.next(of: bytes.span.bytes) {
      let name = try folder?.write(frame.pixels, index: written.count)
      let delay =
        rawDelays || !reader.info.isTimed ? frame.delay : ImageInfo.shownDelay(for: frame.delay)
      written.append(["file": name, "delay_ms": Int((delay / .milliseconds(1)).rounded())])
    }
    common.report.object(
      .decode,
      [
        "format": reader.info.format.rawValue,
        "width": reader.info.size.width, "height": reader.info.size.height,
        "frames": written,
        "loop_count": reader.info.loopCount, "orientation": reader.info.orientation,
        "truncated": reader.fault != nil, "warnings": reader.warnings,
      ])
    if let fault = reader.fault {
      common.report.note("only a part could be read: \(fault.message)")
    }
  }
}

extension DecodingOptions.Color: @retroactive ExpressibleByArgument {}
