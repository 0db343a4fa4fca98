import ArgumentParser
import ImageModel
import ImagePipeline
import TerminalGraphics

struct ShowCommand: AsyncParsableCommand, FileNaming {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Draws an image in the terminal; an animation plays.",
    usage: "imgcache show [<options>] <url|file>",
    discussion: .examples(
      """
      imgcache show photo.jpg
      imgcache show https://example.org/cat.gif --once --size 60x20

      The image is drawn with the kitty graphics protocol or sixels if the terminal supports them, else with half \
      blocks, two pixels a cell, in 24-bit colour where COLORTERM says so; with NO_COLOR in black and white. If \
      stdout is not a terminal, the properties of the image are printed. Ctrl-C ends an animation.
      """))

  @Argument(
    help: .value("url|file", "The image, as a URL or a file; '-' is stdin."), completion: .file())
  var source: String

  @Option(
    help: .value(
      "COLSxROWS", "The most columns and rows (default: 0x0).", "0 means what the terminal has."))
  var size: CellRoom?

  @Flag(help: .rare(nil, "Enlarge a small image to that size.")) var enlarge = false

  @Option(name: .customLong("protocol"), help: .value("name", "How to draw."))
  var method = MethodChoice.auto

  @Option(help: .value("n", "Show one frame of an animation, from 0.")) var frame: Int?

  @Option(
    help: .value("n", "How many times an animation plays, 0 for ever (default: as its file says)."))
  var loops: Int?

  @Flag(help: "Play an animation once: --loops 1.") var once = false

  @OptionGroup(title: "Limits", visibility: .fullHelp) var limits: LimitOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var origin: OriginUseOptions
  @OptionGroup var fetching: FetchingOptions

  var fileNames: [String] { ImageSource.isURL(source) ? [] : [source] }

  func validate() throws {
    try require(frame ?? 0 >= 0, "--frame counts from 0")
    try require((0...65_536).contains(loops ?? 0), "--loops is between 0 and 65536")
    try require(!(once && loops != nil), "--once is --loops 1: give one of them")
  }

  func run() async throws {
    do {
      try await Interruption.whileHandled { try await show() }
    } catch let error as ImageError where error.code != .invalidArgument {
      throw CommandFailure(
        error, doing: error.doing("cannot show", source),
        subject: [(ImageSource.member(of: source), source)])
    }
  }

  private func show() async throws {
    let bytes =
      try await ImageSource.isURL(source)
      ? fetched() : InputFile.read(source, maximum: limits.limits().maximumByteCount)
    let image = try FrameSource(bytes, limits: try limits.limits(fileByteCount: bytes.count))
    if let frame, frame >= image.info.frameCount {
      throw ImageError.misuse(
        "frame \(frame) does not exist: the image has \(image.info.frameCount)")
    }
    if !fetching.report.json, TerminalDevice.isPossible(1) {
      return try await ImageShow(image, self).run()
    }
    let description = ImageDescription(
      source: source, info: image.info, byteCount: bytes.count)
    fetching.report.result(.info, description.json, text: description.text)
  }

  private func fetched() async throws -> [UInt8] {
    let session = try await Session(
      fetching, namedURLs: [source], limits: try limits.limits(),
      isOffline: origin.offlineUse.offline)
    return try await session.whileOpen {
      let response = try await session.whileShowingProgress(fetching.common) {
        try await session.pipeline.data(for: fetching.request(for: source, origin.cachePolicy))
      }
      if let failure = response.storeFailure {
        fetching.report.note("could not be kept: \(failure.message)")
      }
      return try response.bytes()
    }
  }
}

/// The room for an image on a terminal: `80x24`, columns by rows; 0 for those of the terminal.
struct CellRoom: ExpressibleByArgument, Hashable, Sendable {
  let size: PixelSize

  init?(argument: String) {
    guard let size = PixelSize(argument[...], maximum: 10_000) else { return nil }
    self.size = size
  }
}

struct MethodChoice: ExpressibleByArgument, Hashable, Sendable {
  let method: GraphicsMethod?

  static let auto = MethodChoice(method: nil)
  static let allValueStrings = ["auto"] + GraphicsMethod.allCases.map(\.rawValue)
  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }

  private init(method: GraphicsMethod?) { self.method = method }

  init?(argument: String) {
    method = GraphicsMethod(rawValue: argument)
    if method == nil, argument != "auto" { return nil }
  }

  var defaultValueDescription: String { method?.rawValue ?? "auto" }
}
