import ArgumentParser
import ImageCodecs
import ImageModel
import ImagePipeline
import TextEncodings

struct ThumbCommand: AsyncParsableCommand, FileNaming {
  static let configuration = CommandConfiguration(
    commandName: "thumb",
    abstract: "Makes thumbnails of files, or of images from the cache or network.",
    usage: "imgcache thumb [<options>] --size <WxH> [<url|file> ...]",
    discussion: .examples(
      """
      imgcache thumb photo.jpg --size 200x200 -o small.jpg
      imgcache thumb https://example.org/a.jpg --size 640x0 --fit inside > a.jpg
      imgcache thumb photos/*.jpg --size 200x200 -o thumbs/

      find photos -name '*.png' -print0 | imgcache thumb --files-from - -0 --size 200x200 -o thumbs/

      The extension of -o chooses the format: .jpg, .png, .gif or .webp. Without one, and on stdout, --format does.

      Several inputs need a folder, -o DIR/, which is created. Each thumbnail is named after its input, with the \
      extension of its own format; of several with the same name the second gets -2, in the order of the inputs. A file \
      of an earlier call is replaced, an input never is. What fails is reported and the rest is made; the exit status is \
      1 then.
      """))

  @Argument(help: .rare("url|file", "Images, as URLs or files; '-' is stdin."), completion: .file())
  var sources: [String] = []

  @OptionGroup var thumbnail: ThumbnailOptions

  @Option(
    name: .shortAndLong,
    help: .value(
      "file|-|dir/", "Write to this file or folder.",
      "'-' is stdout. A path is a folder if it ends with a slash or is one."), completion: .file())
  var output = "-"

  @Option(
    help: .value(
      "file|-", "Read more inputs from a file, one a line.",
      "'-' is stdin. URLs in it may not lead to private addresses."), completion: .file())
  var filesFrom: String?

  @Flag(
    name: [.customShort("0"), .customLong("null")],
    help: .rare(nil, "Separate the inputs of --files-from by NUL."))
  var isNullSeparated = false

  @OptionGroup(title: "Limits", visibility: .fullHelp) var limits: LimitOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var parallel: ConcurrencyOptions
  @OptionGroup(title: "Network", visibility: .fullHelp) var origin: OriginUseOptions
  @OptionGroup var options: FetchingOptions

  var fileNames: [String] {
    sources.filter { !ImageSource.isURL($0) } + [output] + (filesFrom.map { [$0] } ?? [])
  }

  func validate() throws {
    try require(!sources.isEmpty || filesFrom != nil, "Missing expected argument '<url|file> ...'")
    try require(
      !isNullSeparated || filesFrom != nil,
      "-0 separates the inputs of --files-from, which is not given")
    try require(
      (sources + [filesFrom].compactMap { $0 }).count(where: { $0 == "-" }) < 2,
      "stdin ('-') can be read only once")
    if writesToFolder { return }
    guard sources.count == 1, filesFrom == nil else {
      let hint = output == "-" ? "-o DIR/" : "-o \(output)/"
      throw ValidationError("Several inputs need a folder to write to, such as \(hint)")
    }
    _ = try recipe
    try ImageOutput.check(output, isJSON: options.report.json)
  }

  var writesToFolder: Bool { output != "-" && OutputFolder.isNamed(by: output) }

  private var recipe: ThumbnailRecipe {
    get throws {
      var recipe = thumbnail.recipe
      recipe.format = try ImageOutput.format(of: output, asked: recipe.format)
      try thumbnail.check(recipe.format)
      return recipe
    }
  }

  func run() async throws {
    guard writesToFolder else { return try await makeOne() }
    let listed = try filesFrom.map { try ThumbInput.list($0, isNullSeparated: isNullSeparated) }
    let inputs = sources + (listed ?? [])
    throw ExitCode(try await Interruption.whileHandled { try await ThumbRun.run(self, inputs) })
  }

  private func makeOne() async throws {
    let (source, recipe) = (sources[0], try recipe)
    let began = ContinuousClock.now
    do {
      let made =
        try await ImageSource.isURL(source) ? fetched(source, recipe) : read(source, recipe)
      for warning in made.warnings { options.report.note("\(source): \(warning)") }
      if output == "-" {
        Stream.write(made.bytes.span.bytes, to: 1)
        return
      }
      try OutputFile.write(made.bytes, to: output)
      if options.report.json {
        options.report.object(
          ThumbOutput.json(
            source, output: output, file: output, made, byteCount: made.bytes.count,
            elapsed: .now - began))
      }
    } catch let error as ImageError where error.code != .invalidArgument {
      throw CommandFailure(
        error, doing: error.doing("cannot make a thumbnail of", source),
        subject: [("input", source), ("output", output)], event: "thumb")
    }
  }

  func read(
    _ source: String, _ recipe: ThumbnailRecipe, sharing shareCount: Int = 1
  ) throws(ImageError) -> EncodedImage {
    var limits = try limits.limits()
    let memory = limits.maximumMemoryByteCount / shareCount
    let bytes: [UInt8]
    do throws(ImageError) {
      bytes = try InputFile.read(
        source,
        maximum: shareCount > 1 ? min(limits.maximumByteCount, memory) : limits.maximumByteCount)
    } catch {
      guard error.code == .fileUnreadable, source.fileType == S_IFDIR else { throw error }
      let name = source.hasSuffix("/") ? source : source + "/"
      throw error.withMessage(
        "\(source) is a folder; name its files (\(name)*) or list them with --files-from")
    }
    limits.maximumMemoryByteCount = max(0, memory - bytes.count)
    return try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe, limits: limits)
  }

  func request(for url: String, _ recipe: ThumbnailRecipe) -> ImageRequest {
    var request = options.request(for: url, origin.cachePolicy)
    request.thumbnail = recipe
    return request
  }

  static func image(of response: DataResponse) throws -> EncodedImage {
    guard let format = response.format, let size = response.size else {
      throw ImageError(.corrupt, "no thumbnail was made")
    }
    var image = EncodedImage(
      bytes: try response.bytes(), format: format, size: size, frameCount: response.frameCount)
    image.warnings = response.warnings
    return image
  }

  private func fetched(_ url: String, _ recipe: ThumbnailRecipe) async throws -> EncodedImage {
    try await Interruption.whileHandled {
      let session = try await Session(
        options, namedURLs: [url], limits: try limits.limits(),
        isOffline: origin.offlineUse.offline)
      return try await session.whileOpen {
        let made = try await session.pipeline.data(for: request(for: url, recipe))
        if let failure = made.storeFailure {
          options.report.note("could not be kept: \(failure.message)")
        }
        return try Self.image(of: made)
      }
    }
  }
}
