public import ArgumentParser
import HTTPListening
import ImageCodecs
import ImageModel
import TextEncodings
import ThumbnailServer

struct ServeOptions: ParsableArguments {
  @Option(
    help: .value(
      "host", "A host whose images may be fetched.",
      "example.org, *.example.org for all below it, or * for every public one. Repeat the option for more."
    ))
  var allowHost: [String] = []

  @Option(
    help: .value(
      "file", "Require signatures by one of these keys.",
      "/thumb, /image and /info need one; the file has NAME:SECRET a line, and the first one signs."
    ),
    completion: .file())
  var signKeyFile: String?

  @Option(
    help: .rare(
      "images", "Serve /thumb, /image, /info and health alone.",
      "For listeners that anyone can reach: no reader, no days, no metrics, and nothing can be removed. --admin-listen has the rest."
    ))
  var only: ServedContent?

  @Option(
    help: .rare(
      "name=dir", "Serve files below a directory as local://NAME/PATH.",
      "Regular files without dot names; symbolic links may not lead out of it. Repeat the option for more."
    ))
  var root: [String] = []

  @Option(
    help: .rare(
      "origin|*", "An origin whose pages may read responses.",
      "https://example.org, as browsers write it, or * for all; repeat the option for more."))
  var cors: [String] = []

  @Option(
    help: .rare(
      "path", "A path in front of every route, such as /img.",
      "Signatures are those of the whole path, /img/thumb; a proxy in front passes it on as it is.")
  )
  var pathPrefix = ""

  @Option(
    help: .rare(
      "separator", "What separates the tags in Cache-Tag.",
      "Cloudflare and Google Cloud CDN read comma."))
  var cacheTagSeparator = CacheTagSeparator.space

  @Option(
    help: .value(
      "name=query", "A named set of parameters.",
      "For example card=w=300&h=200&fit=cover; repeat the option for more."))
  var preset: [String] = []

  @Option(
    name: .customLong("default"),
    help: .rare(
      "query", "Parameters of /thumb that a request or its preset may override.",
      "For example fit=inside&q=75."))
  var defaults = ""

  @Option(
    name: .customLong("auto"),
    help: .rare(
      "formats",
      "The formats that format=auto may choose: avif, webp or both, the best one first, or none.",
      "They are chosen for clients that name them (default: avif,webp, or webp without libavif)."))
  var negotiated: NegotiatedFormats?

  @Flag(help: .rare(nil, "Serve thumbnails by preset alone.")) var presetsOnly = false

  @Option(
    help: .rare(
      "name=file", "An image for the parameter watermark=NAME.",
      "With a comma its place, as for 'imgcache thumb'; repeat the option for more."),
    completion: .file())
  var watermark: [String] = []

  @Option(
    help: .rare(
      "WxH", "Serve thumbnails of this size only (default: any).",
      "dpr is included; repeat the option for more."))
  var allowSize: [ThumbnailSize] = []

  @Option(
    help: .rare(
      "n", "Round sides up to a multiple of so many pixels.", "At most to the longest side."))
  var roundSize = 1

  @Option(help: .rare("n", "The longest side of a thumbnail.")) var maxThumbnailSide = 4096

  @Option(
    help: .rare(
      "duration", "How long clients may use a stale response while they revalidate it.",
      "A value of the origin takes precedence."))
  var staleWhileRevalidate: TimeQuantity?

  @Option(
    help: .rare(
      "duration", "How long clients may use a stale response after an error.",
      "A value of the origin takes precedence."))
  var staleIfError: TimeQuantity?

  @Option(
    help: .rare(
      "file", "The image for placeholder=1 (default: the remembered colours, else grey).",
      "It is sent for an unavailable image."), completion: .file())
  var placeholder: String?

  @Option(
    help: .rare(
      "file", "Append every request for an image to a trace.", "'imgcache simulate' reads it."),
    completion: .file())
  var recordTrace: String?

  func validate() throws {
    try require(
      (1...4096).contains(roundSize) && (1...65_535).contains(maxThumbnailSide),
      "--round-size is 1 to 4096, --max-thumbnail-side 1 to 65535")
    let steps = pathPrefix.split(separator: "/")
    let isPath = steps.allSatisfy { step in
      step != "." && step != ".." && step.utf8.allSatisfy(PercentEncoding.isUnreserved)
    }
    try require(
      pathPrefix.isEmpty
        || isPath && pathPrefix.utf8.count <= 1000 && pathPrefix.hasPrefix("/") && !steps.isEmpty,
      "--path-prefix is a path such as /img, of letters, digits and -._~")
    try require(
      cors.allSatisfy(Self.isOrigin) && (cors.count < 2 || !cors.contains("*")),
      "--cors is an origin such as https://example.org, in lower case and without a path, or * alone"
    )
    try require(
      root.allSatisfy { Self.root($0) != nil } && Set(roots.keys).count == root.count,
      "--root is NAME=DIR, for example photos=/srv/photos, each name once")
    try require(!presetsOnly || !preset.isEmpty, "--presets-only needs a --preset")
    for preset in preset where !preset.contains("=") || preset.hasPrefix("=") {
      throw ValidationError("--preset is NAME=QUERY, for example card=w=300&h=200")
    }
    for name in watermark where name.hasPrefix("=") || Self.watermark(name) == nil {
      throw ValidationError("--watermark is NAME=FILE, for example logo=/etc/imgcache/logo.png")
    }
  }

  private static func isOrigin(_ text: String) -> Bool {
    if text == "*" { return true }
    guard let mark = text.firstRange(of: "://"), mark.lowerBound > text.startIndex else {
      return false
    }
    let host = text[mark.upperBound...]
    return !host.isEmpty && text == text.lowercased()
      && host.utf8.allSatisfy { PercentEncoding.isUnreserved($0) || ":[]".utf8.contains($0) }
  }

  private static func root(_ text: String) -> (name: String, folder: String)? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[1].isEmpty, LocalAddress.isRoot(String(parts[0])) else {
      return nil
    }
    return (String(parts[0]), String(parts[1]))
  }

  /// The directories of local files, by name.
  var roots: [String: String] {
    Dictionary(root.compactMap(Self.root).map { ($0.name, $0.folder) }) { $1 }
  }

  /// - Throws: ``ImageError`` with code `invalidArgument` for a directory that cannot be opened.
  func checkRoots() throws(ImageError) {
    for (name, folder) in roots {
      let opened = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
      guard opened >= 0 else {
        throw .misuse(ImageError(.fileUnreadable, "--root \(name)=\(folder)", errno: errno).message)
      }
      close(opened)
    }
  }

  private static func watermark(_ text: String) -> (name: Substring, file: WatermarkName)? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].contains(","),
      let file = WatermarkName(argument: String(parts[1]))
    else { return nil }
    return (parts[0], file)
  }

  func rules() throws -> ThumbnailRules {
    var rules = ThumbnailRules()
    rules.rounding = roundSize
    rules.defaults = defaults
    rules.maximumSide = maxThumbnailSide
    rules.presetsOnly = presetsOnly
    if let negotiated {
      for format in negotiated.formats {
        try ImageError.misuse(about: "--auto") { () throws(ImageError) in
          try ThumbnailRecipe(size: PixelSize(width: 1, height: 1), format: format).check()
        }
      }
      rules.negotiatedFormats = negotiated.formats
    }
    if !allowSize.isEmpty { rules.allowedSizes = Set(allowSize.map(\.size)) }
    for preset in preset {
      let parts = preset.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let old = rules.presets.updateValue(String(parts[1]), forKey: String(parts[0]))
      if old != nil { throw ImageError.misuse("--preset names \(parts[0]) twice") }
    }
    for case (let name, let file)? in watermark.map(Self.watermark) {
      let old = rules.watermarks.updateValue(try file.read(), forKey: String(name))
      if old != nil { throw ImageError.misuse("--watermark names \(name) twice") }
    }
    try rules.check()
    return rules
  }

  func allowedHosts() throws(ImageError) -> HostAllowList {
    try ImageError.misuse(about: "--allow-host") { () throws(ImageError) in
      try HostAllowList(allowHost)
    }
  }

  /// Reads and checks the placeholder, so that an invalid one is reported at the start.
  func placeholderBytes() throws(ImageError) -> [UInt8]? {
    guard let placeholder else { return nil }
    let bytes = try InputFile.read(placeholder, maximum: 16 << 20, namedBy: "--placeholder")
    _ = try ImageError.misuse(about: "the placeholder \(placeholder) is not an image") {
      () throws(ImageError) in try ImageCodecs.check(bytes.span.bytes, level: .decode)
    }
    return bytes
  }

  func signingKeys() throws -> [SigningKey] {
    try signKeyFile.map { try SigningKeyFile.read($0, namedBy: "--sign-key-file") } ?? []
  }
}

/// What a listener that anyone can reach serves.
enum ServedContent: String, ExpressibleByArgument, CaseIterable {
  case images
}

extension CacheTagSeparator: @retroactive ExpressibleByArgument {}

enum SigningKeyFile {
  static func read(_ path: String, namedBy option: String) throws -> [SigningKey] {
    let bytes = try InputFile.read(path, maximum: 1 << 20, namedBy: option)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ImageError.misuse("the key file \(path) is not text")
    }
    return try SigningKey.list(text)
  }
}
