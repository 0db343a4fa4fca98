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

      imgcache thumb blog/ --size 320x0 --size 640x0 -o 'thumbs/{dir}/{name}-{w}.{ext}' --update

      find photos -name '*.png' -print0 | imgcache thumb --files-from - -0 --size 200x200 -o thumbs/

      The extension of -o chooses the format: .jpg, .png, .gif, .webp or .avif. Without one, and on stdout, --format does.

      Several inputs need a folder, -o DIR/, which is created, or a template. In a folder each thumbnail is named after \
      its input, with the extension of its own format; of several with the same name the second gets -2, in the order of \
      the inputs. In a template {dir} is the folder of the input below the one that was named, {name} its name without \
      extension, {w} and {h} the size of the thumbnail, {ext} jpg, png, gif, webp or avif, and {hash} the first 8 \
      digits of the input's SHA-256; two inputs with one name are an error before anything is written. Several sizes need {w} or \
      {h}.

      A folder among the inputs selects all images below it, without hidden files and linked folders. A file of an \
      earlier call is replaced, an input never is. What fails is reported and the rest is made; the exit status is 1 \
      then.

      After the orientation of the EXIF come --crop, --rotate and --flip, then the box, then --sharpen, --blur, --gray, \
      --watermark and --radius, on every frame of an animation.
      """))

  @Argument(help: .rare("url|file", "Images, as URLs or files; '-' is stdin."), completion: .file())
  var sources: [String] = []

  @OptionGroup var thumbnail: ThumbnailOptions

  @Option(
    name: .shortAndLong,
    help: .value(
      "file|-|dir/|template", "Write to a file, folder or template.",
      "'-' is stdout. A path is a folder if it ends with a slash or is one, and a template with a field such as {name}."
    ), completion: .file())
  var output = "-"

  @Flag(
    help: .text(
      "Make only what has changed.",
      "Thumbnails that are newer than their files and were made with the same options are skipped. What is known of them is in the file .imgcache-thumbs.json of the folder."
    ))
  var update = false

  @Option(
    help: .rare(
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
    sources.filter { !ImageSource.isURL($0) }
      + [output, filesFrom, thumbnail.watermark?.path].compactMap(\.self)
  }

  func validate() throws {
    try require(!sources.isEmpty || filesFrom != nil, "Missing expected argument '<url|file> ...'")
    try require(
      !isNullSeparated || filesFrom != nil,
      "-0 separates the inputs of --files-from, which is not given")
    try require(
      (sources + [filesFrom].compactMap { $0 }).count(where: { $0 == "-" }) < 2,
      "stdin ('-') can be read only once")
    switch try ImageFiles.Target(output) {
    case .template(let template)?:
      try require(
        thumbnail.size.count == 1 || template.uses(.width) || template.uses(.height),
        "Several sizes need {w} or {h} in the template")
    case .folder?:
      try require(
        thumbnail.size.count == 1,
        "Several sizes need a template, such as -o '\(output){name}-{w}.{ext}'")
      return
    case nil:
      let hint = output == "-" ? "-o DIR/" : "-o \(output)/"
      try require(
        sources.count == 1 && filesFrom == nil,
        "Several inputs need a folder to write to, such as \(hint), or a template")
      try require(
        thumbnail.size.count == 1, "Several sizes need a template, such as -o '{name}-{w}.{ext}'")
      try require(!update, "--update needs a folder to write to, such as \(hint), or a template")
      try ImageOutput.check(output, isJSON: options.report.json)
    }
    _ = try recipes
  }

  var makesSeveral: Bool { (try? ImageFiles.Target(output)) != nil }

  /// The recipes without the watermark.
  private var recipes: [ThumbnailRecipe] {
    get throws {
      let isFolder = output != "-" && OutputFolder.isNamed(by: output)
      return try thumbnail.recipes.map { recipe in
        var recipe = recipe
        if !isFolder { recipe.format = try ImageOutput.format(of: output, asked: recipe.format) }
        try thumbnail.check(recipe.format)
        return recipe
      }
    }
  }

  func run() async throws {
    var recipes = try recipes
    if let watermark = try thumbnail.watermark?.read() {
      for index in recipes.indices { recipes[index].watermark = watermark }
    }
    guard let target = try ImageFiles.Target(output) else { return try await makeOne(recipes[0]) }
    let listed = try filesFrom.map { try ImageInput.list($0, isNullSeparated: isNullSeparated) }
    let (inputs, made) = (sources + (listed ?? []), recipes)
    throw ExitCode(
      try await Interruption.whileHandled {
        try await ThumbRun.run(self, inputs, made, to: target)
      })
  }

  private func makeOne(_ recipe: ThumbnailRecipe) async throws {
    let source = sources[0]
    let inputs = [source, thumbnail.watermark?.path].compactMap(\.self)
    if output != "-", output.fileType == S_IFREG, let written = FileIdentity(output),
      let same = inputs.first(where: { !ImageSource.isURL($0) && FileIdentity($0) == written })
    {
      throw ImageError.misuse("not written: \(output) is \(same), which is read; name another file")
    }
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
          .thumb,
          ImageReport.json(
            .thumbnail, source, output: output, made, byteCount: made.bytes.count,
            elapsed: .now - began))
      }
    } catch let error as ImageError where error.code != .invalidArgument {
      throw CommandFailure(
        error, doing: error.doing("cannot make a thumbnail of", source),
        subject: [("input", source), ("output", output)], event: .thumb)
    }
  }

  private func read(
    _ source: String, _ recipe: ThumbnailRecipe
  ) throws(ImageError) -> EncodedImage {
    let (bytes, limits) = try read(source, sharing: 1)
    return try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe, limits: limits)
  }

  /// Reads a file, and returns the limits of its decode.
  func read(
    _ source: String, sharing shareCount: Int
  ) throws(ImageError) -> ([UInt8], ImageLimits) {
    var limits = try limits.limits()
    let memory = limits.maximumMemoryByteCount / shareCount
    let bytes: [UInt8]
    do throws(ImageError) {
      bytes = try InputFile.read(
        source,
        maximum: shareCount > 1 ? min(limits.maximumByteCount, memory) : limits.maximumByteCount)
    } catch {
      guard error.code == .fileUnreadable, source.fileType == S_IFDIR else { throw error }
      throw .misuse(
        "\(source) is a folder, whose thumbnails need one, too, such as -o DIR/, or a template")
    }
    limits.maximumMemoryByteCount = max(0, memory - bytes.count)
    return (bytes, limits)
  }

  private func fetched(_ url: String, _ recipe: ThumbnailRecipe) async throws -> EncodedImage {
    try await Interruption.whileHandled {
      let session = try await Session(
        options, namedURLs: [url], limits: try limits.limits(),
        isOffline: origin.offlineUse.offline)
      return try await session.whileOpen {
        var request = options.request(for: url, origin.cachePolicy)
        request.thumbnail = recipe
        let made = try await session.pipeline.data(for: request)
        if let failure = made.storeFailure {
          options.report.note("could not be kept: \(failure.message)")
        }
        return try EncodedImage(made)
      }
    }
  }
}
