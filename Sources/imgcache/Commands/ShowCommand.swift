import ArgumentParser
import ImagePipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// `imgcache show URL|FILE`: the image itself, in the terminal.
struct ShowCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Draws an image in the terminal; an animation plays.",
    discussion: """
      imgcache show photo.jpg
      imgcache show https://example.org/cat.gif --once --size 60x20

      Drawn with the kitty graphics protocol or sixels where the terminal says that it knows them, else with half
      blocks, two pixels a cell, in 24-bit colour where COLORTERM says so. With NO_COLOR in black and white. Where
      stdout is no terminal, a line of text tells what the image is. Ctrl-C ends an animation.
      """)

  @Argument(help: ArgumentHelp("The image; '-' is stdin.", valueName: "url|file"))
  var source: String

  @Option(
    help: ArgumentHelp(
      "The most columns and rows; 0 is what the terminal has (default: 0x0).",
      valueName: "COLSxROWS"))
  var size: CellRoom?

  @Flag(help: "Enlarge a small picture to that room.") var enlarge = false

  @Option(
    name: .customLong("protocol"),
    help: ArgumentHelp("How it is drawn: auto, kitty, sixel or blocks.", valueName: "name"))
  var method = MethodChoice.auto

  @Option(help: ArgumentHelp("This frame of an animation alone, from 0.", valueName: "n"))
  var frame: Int?

  @Option(
    help: ArgumentHelp(
      "How many times an animation plays, 0 for ever (default: as its file says).", valueName: "n"))
  var loops: Int?

  @Flag(help: "Play an animation once: --loops 1.") var once = false

  @OptionGroup(title: "Limits") var limits: LimitOptions
  @OptionGroup(title: "The network") var network: NetworkOptions
  @OptionGroup(title: "The network") var checking: CheckOptions
  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  func validate() throws {
    guard frame ?? 0 >= 0 else { throw ValidationError("--frame counts from 0") }
    guard (0...65_536).contains(loops ?? 0) else {
      throw ValidationError("--loops is between 0 and 65536")
    }
    guard !(once && loops != nil) else {
      throw ValidationError("--once is --loops 1: give one of them")
    }
  }

  mutating func run() async throws {
    let command = self
    do {
      try await Interruption.whileHandled { try await command.show() }
    } catch let error as ImageError where error.code != .invalidArgument {
      throw CommandFailure(error, doing: "cannot show \(source)", subject: [("source", source)])
    }
  }

  private func show() async throws {
    let bytes = try await ImageSource.isURL(source) ? fetched() : read()
    let picture = try PictureSource(bytes, limits: limits.limits(fileByteCount: bytes.count))
    if let frame, frame >= picture.info.frameCount {
      throw ImageError(
        .invalidArgument, "frame \(frame) is not there: the image has \(picture.info.frameCount)")
    }
    if common.json {
      common.report.object(
        InfoCommand.json(source, picture.info, nil, byteCount: bytes.count))
    } else if TerminalDevice.isPossible(STDOUT_FILENO) {
      try await PictureShow(picture, options).run()
    } else {
      common.report.line(InfoCommand.text(source, picture.info, nil, byteCount: bytes.count))
    }
  }

  private var options: PictureShow.Options {
    var options = PictureShow.Options()
    options.frame = frame
    options.loopCount = once ? 1 : loops
    options.room = size?.size ?? options.room
    options.enlarges = enlarge
    options.asked = method.method
    options.isColorless = common.noColor
    return options
  }

  /// From a file: nothing is kept.
  private func read() throws -> [UInt8] {
    try InputFile.read(source, maximum: limits.limits().maximumByteCount)
  }

  /// From the cache, or from the network into it.
  private func fetched() async throws -> [UInt8] {
    let session = try Session(
      cache: cache, network: network, common: common, namedURLs: [source],
      limits: limits.limits())
    var asked = ImageRequest(url: source)
    asked.cachePolicy = network.cachePolicy
    asked.check = checking.check
    let request = asked
    return try await session.whileOpen {
      let response = try await session.pipeline.data(for: request)
      if let failure = response.storeFailure {
        common.report.note("could not be kept: \(failure.message)")
      }
      return try response.bytes()
    }
  }
}
