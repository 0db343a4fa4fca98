import ArgumentParser
import ImageModel
import ImagePipeline
import TextEncodings

struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Writes the bytes of an image; fetches it if it is not cached.",
    discussion: """
      imgcache get https://example.org/a.jpg -o a.jpg
      imgcache get https://example.org/a.jpg --offline > a.jpg
      """)

  @Argument(help: "The URL of the image.") var url: String

  @Option(
    name: .shortAndLong, help: .value("file|-", "Write to this file or stdout."),
    completion: .file())
  var output = "-"

  @OptionGroup(title: "Network", visibility: .fullHelp) var origin: OriginUseOptions
  @OptionGroup var options: FetchingOptions

  func validate() throws {
    try ImageSource.checkURL(url)
    try ImageOutput.check(output, isJSON: options.report.json)
  }

  func run() async throws {
    do {
      try await get()
    } catch let error as ImageError {
      let isNamed =
        error.message.contains(url) || ExitStatus.forError(error) != ExitStatus.incomplete
      throw CommandFailure(error, doing: isNamed ? nil : url, subject: [("url", url)])
    }
  }

  private func get() async throws {
    let response = try await Interruption.whileHandled {
      let session = try await Session(
        options, namedURLs: [url], isOffline: origin.offlineUse.offline)
      return try await session.whileOpen {
        var request = options.request(for: url, origin.cachePolicy)
        request.storage.rule = .always
        request.storage.retention = .pinned
        return try await session.whileShowingProgress(options.common) {
          try await session.pipeline.data(for: request)
        }
      }
    }

    let bytes = try response.bytes()
    if output == "-" {
      Stream.write(bytes.span.bytes, to: 1)
    } else {
      try OutputFile.write(bytes, to: output)
      if options.report.json {
        options.report.object([
          "url": response.url, "file": output, "bytes": response.byteCount,
          "source": response.source.rawValue, "format": response.format?.rawValue,
          "width": response.size?.width, "height": response.size?.height,
          "frames": response.frameCount,
        ])
      }
    }
    if let failure = response.storeFailure {
      throw CommandFailure(
        failure, doing: "\(url) was fetched but could not be stored", subject: [("url", url)],
        status: ExitStatus.environment)
    }
  }
}
