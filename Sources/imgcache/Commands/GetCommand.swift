import ArgumentParser
import ImagePipeline
import TextEncodings

/// `imgcache get URL`: the original bytes.
struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Writes the original bytes of an image; fetches it if it is not kept.",
    discussion: "imgcache get https://example.org/a.jpg -o a.jpg")

  @Argument(help: "The URL of the image.") var url: String

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp("Where to write; '-' is stdout (default: -).", valueName: "file|-"))
  var output = "-"

  @OptionGroup(title: "The network") var network: NetworkOptions
  @OptionGroup(title: "The network") var checking: CheckOptions
  @OptionGroup(title: "The cache") var cache: CacheOptions
  @OptionGroup(title: "Common") var common: CommonOptions

  func validate() throws {
    try ImageSource.checkURL(url)
    try ImageOutput.check(output, isJSON: common.json)
  }

  mutating func run() async throws {
    do {
      try await get()
    } catch let error as ImageError {
      throw CommandFailure(error, subject: [("url", url)])
    }
  }

  private func get() async throws {
    let command = self
    let response = try await Interruption.whileHandled {
      let session = try Session(
        cache: command.cache, network: command.network, common: command.common,
        namedURLs: [command.url])
      var asked = ImageRequest(url: command.url)
      asked.isToBeKept = true
      asked.cachePolicy = command.network.cachePolicy
      asked.check = command.checking.check
      let request = asked
      return try await session.whileOpen { try await session.pipeline.data(for: request) }
    }

    let bytes = try response.bytes()
    if output == "-" {
      Report.writeBytes(bytes.span.bytes, to: 1)
    } else {
      try FileCopy.write(bytes, to: output)
      if common.json { common.report.object(Self.json(response, output: output)) }
    }
    if let failure = response.storeFailure {
      throw CommandFailure(
        failure, doing: "\(url) was fetched but could not be stored", subject: [("url", url)],
        status: ExitStatus.environment)
    }
  }

  private static func json(_ response: DataResponse, output: String) -> JSONLine {
    [
      "url": response.url, "file": output, "bytes": response.byteCount,
      "source": response.source.rawValue, "format": response.format?.rawValue,
      "width": response.size?.width, "height": response.size?.height,
      "frames": response.frameCount,
    ]
  }
}
