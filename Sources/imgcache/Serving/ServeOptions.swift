import ArgumentParser
import HTTPListening
import ImageCodecs
import ImageModel
import ThumbnailServer

/// The options of the resources that `serve` offers.
struct ServeOptions: ParsableArguments {
  @Option(
    help: .value(
      "host",
      "A host whose images may be fetched: example.org, *.example.org for all below it, or * for every public one; names of other letters as xn--…; repeat it."
    ))
  var allowHost: [String] = []

  @Option(
    help: .value(
      "file",
      "Every /thumb and /image has to be signed with one of these keys: NAME:SECRET a line, the first one signs."
    ))
  var signKeyFile: String?

  @OptionGroup var admin: AdminOptions

  @Option(
    help: .value(
      "separator",
      "What separates the tags in Cache-Tag: space, or comma as Cloudflare and Google Cloud CDN read it."
    ))
  var cacheTagSeparator = CacheTagSeparator.space

  @Option(
    help: .value(
      "name=query", "A named set of parameters, for example card=w=300&h=200&fit=cover; repeat it.")
  )
  var preset: [String] = []

  @Flag(help: "Serve thumbnails by preset alone.") var presetsOnly = false

  @Option(
    help: .value(
      "WxH", "Serve only thumbnails of these sizes, dpr included; repeat it (default: any)."))
  var allowSize: [ThumbnailSize] = []

  @Option(
    help: .value(
      "n", "Round sides up to a multiple of so many pixels, up to the longest side at most."))
  var roundSize = 1

  @Option(help: .value("n", "The longest side of a thumbnail.")) var maxThumbnailSide = 4096

  @Option(
    help: .value(
      "duration",
      "Let clients use a stale response for so long while they revalidate it, unless the origin specifies it."
    ))
  var staleWhileRevalidate: TimeQuantity?

  @Option(
    help: .value(
      "duration",
      "Let clients use a stale response for so long when revalidation fails, unless the origin specifies it."
    ))
  var staleIfError: TimeQuantity?

  @Option(
    help: .value(
      "file",
      "The image to send for an unavailable one, with placeholder=1 (default: the remembered colours, else grey)."
    ))
  var placeholder: String?

  @Option(
    help: .value(
      "file", "Append every request for an image as a line that 'imgcache simulate' reads."))
  var recordTrace: String?

  @Option(help: .value("file|-", "Write a line for every answer; '-' is stderr."))
  var accessLog: String?

  func validate() throws {
    guard (1...4096).contains(roundSize), (1...65_535).contains(maxThumbnailSide) else {
      throw ValidationError("--round-size is 1 to 4096, --max-thumbnail-side 1 to 65535")
    }
    if presetsOnly, preset.isEmpty {
      throw ValidationError("--presets-only needs a --preset")
    }
    for preset in preset where !preset.contains("=") || preset.hasPrefix("=") {
      throw ValidationError("--preset is NAME=QUERY, for example card=w=300&h=200")
    }
  }

  /// The rules that these options describe.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for an invalid preset.
  func rules() throws -> ThumbnailRules {
    var rules = ThumbnailRules()
    rules.rounding = roundSize
    rules.maximumSide = maxThumbnailSide
    rules.presetsOnly = presetsOnly
    if !allowSize.isEmpty { rules.allowedSizes = Set(allowSize.map(\.size)) }
    for preset in preset {
      let parts = preset.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      rules.presets[String(parts[0])] = String(parts[1])
    }
    try rules.check()
    return rules
  }

  /// Reads and checks the placeholder, so that an invalid one is reported at the start.
  func placeholderBytes() throws(ImageError) -> [UInt8]? {
    guard let placeholder else { return nil }
    let bytes = try InputFile.read(placeholder, maximum: 16 << 20)
    do {
      _ = try ImageCodecs.check(bytes.span.bytes, level: .decode)
    } catch {
      throw ImageError(
        .invalidArgument, "the placeholder \(placeholder) is not an image: \(error.message)")
    }
    return bytes
  }

  func signingKeys() throws -> [SigningKey] { try signKeyFile.map(SigningKeyFile.read) ?? [] }
}

extension CacheTagSeparator: @retroactive ExpressibleByArgument {}

/// The keys that allow requests to remove images from a running server.
struct AdminOptions: ParsableArguments {
  @Option(
    help: .value(
      "file",
      "Requests with one of these keys, as Authorization: Bearer SECRET, may remove images, and read the /status of serve: NAME:SECRET or a secret a line."
    ))
  var adminKeyFile: String?

  func keys() throws -> [SigningKey]? { try adminKeyFile.map(SigningKeyFile.read) }
}

/// Reads key files.
enum SigningKeyFile {
  /// - Throws: ``ImageError``: `fileUnreadable`, or `invalidArgument` for a file without a key or a
  ///   key without a secret.
  static func read(_ path: String) throws -> [SigningKey] {
    let bytes = try InputFile.read(path, maximum: 1 << 20)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ImageError(.invalidArgument, "the key file \(path) is not text")
    }
    return try SigningKey.list(text)
  }
}
