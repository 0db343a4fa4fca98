import ArgumentParser
import ImageCodecs
import ImageModel
import ImagePipeline
import LoadScheduling
import TextEncodings

struct GetCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get",
    abstract: "Writes the bytes of images; fetches those that are not cached.",
    discussion: .examples(
      """
      imgcache get https://example.org/a.jpg -o a.jpg
      imgcache get https://example.org/a.jpg --offline > a.jpg
      imgcache get https://example.org/a.jpg https://example.org/b.png -o images/

      Several URLs need a folder, -o DIR/, which is created. Each file is named after the last part of its URL's path, \
      with the extension of its format; of several with the same name the second gets -2. What fails is reported and the \
      rest is written; the exit status is 1 then.
      """))

  @Argument(help: "The URLs of the images.") var urls: [String]

  @Option(
    name: .shortAndLong,
    help: .value(
      "file|-|dir/", "Write to this file or folder.",
      "'-' is stdout. A path is a folder if it ends with a slash or is one."), completion: .file())
  var output = "-"

  @OptionGroup(title: "Network", visibility: .fullHelp) var parallel: ConcurrencyOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var origin: OriginUseOptions
  @OptionGroup var options: FetchingOptions

  func validate() throws {
    for url in urls { try ImageSource.checkURL(url) }
    if writesToFolder { return }
    try require(
      urls.count == 1,
      "Several URLs need a folder to write to, such as -o \(output == "-" ? "DIR" : output)/")
    try ImageOutput.check(output, isJSON: options.report.json)
  }

  private var writesToFolder: Bool { output != "-" && OutputFolder.isNamed(by: output) }

  func run() async throws {
    if writesToFolder {
      throw ExitCode(try await Interruption.whileHandled { try await getAll() })
    }
    let url = urls[0]
    do {
      try await get(url)
    } catch let error as ImageError {
      let isNamed =
        error.message.contains(url) || ExitStatus.forError(error) != ExitStatus.incomplete
      throw CommandFailure(
        error, doing: isNamed ? nil : url, subject: [("url", url)], event: .get)
    }
  }

  private func load(_ url: String, _ session: Session) async throws -> DataResponse {
    var request = options.request(for: url, origin.cachePolicy)
    request.storage.rule = .always
    request.storage.retention = .pinned
    return try await session.pipeline.data(for: request)
  }

  /// Writes the images to a folder, several at a time.
  private func getAll() async throws -> Int32 {
    let inputs = urls.map { ImageInput(source: $0) }
    let folder = output.hasSuffix("/") ? output : output + "/"
    let session = try await Session(
      options, namedURLs: urls, transfers: parallel.limits, isOffline: origin.offlineUse.offline)
    let executor = try BlockingExecutor(name: "files", threadCount: 1)
    defer { executor.stop() }
    return try await session.whileOpen {
      let files = try ImageFiles(.folder(folder), inputs: inputs)
      let report = ImageReport(
        .original, of: inputs, count: inputs.count, in: folder, options.common)
      do {
        try await BoundedWork(maximumInFlight: parallel.limits.inProgress)
          .run(inputs.indices) { index in
            let began = ContinuousClock.now
            var result: Result<EncodedImage, ImageError>
            var source: LoadSource?
            do {
              let response = try await load(urls[index], session)
              if let failure = response.storeFailure { report.note(urls[index], notKept: failure) }
              result = .success(try EncodedImage(response))
              source = response.source
            } catch let error as ImageError {
              result = .failure(error)
            }
            let (ended, origin, elapsed) = (result, source, ContinuousClock.now - began)
            try await executor.run {
              files.settle(index, ended, source: origin, elapsed: elapsed)
                .forEach { report.show($0) }
            }
          } finished: { _ in
          }
      } catch is CancellationError {
        files.discard()
        report.finish(isInterrupted: true)
        throw CancellationError()
      }
      report.finish(isInterrupted: false)
      return report.exitStatus
    }
  }

  private func get(_ url: String) async throws {
    let response = try await Interruption.whileHandled {
      let session = try await Session(
        options, namedURLs: [url], isOffline: origin.offlineUse.offline)
      return try await session.whileOpen {
        try await session.whileShowingProgress(options.common) { try await load(url, session) }
      }
    }

    let bytes = try response.bytes()
    if output == "-" {
      Stream.write(bytes.span.bytes, to: 1)
    } else {
      try OutputFile.write(bytes, to: output)
      if options.report.json {
        options.report.object(
          .get,
          [
            "url": response.url, "path": output, "status": "ok", "bytes": response.byteCount,
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
