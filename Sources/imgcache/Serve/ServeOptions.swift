import ArgumentParser
import ImagePipeline
import ThumbnailServer

/// What `serve` offers, to whom, and how much of it.
struct ServeOptions: ParsableArguments {
  @Option(
    name: .customLong("allow-host"),
    help: ArgumentHelp(
      "A host whose images may be fetched: example.org, *.example.org for all below it, or * for every public one; names of other letters as xn--…; repeat it.",
      valueName: "host"))
  var allowHosts: [String] = []

  @Option(
    name: .customLong("sign-key-file"),
    help: ArgumentHelp(
      "Every /thumb and /image has to be signed with one of these keys: NAME:SECRET a line, the first one signs.",
      valueName: "file"))
  var signKeyFile: String?

  @Option(
    name: .customLong("preset"),
    help: ArgumentHelp(
      "A named set of parameters, for example card=w=300&h=200&fit=cover; repeat it.",
      valueName: "name=query"))
  var presets: [String] = []

  @Flag(name: .customLong("presets-only"), help: "Serve thumbnails by preset alone.")
  var presetsOnly = false

  @Option(
    name: .customLong("allow-size"),
    help: ArgumentHelp(
      "Serve only thumbnails of these sizes, dpr included; repeat it (default: any).",
      valueName: "WxH"))
  var allowSizes: [ThumbnailSize] = []

  @Option(
    name: .customLong("round-size"),
    help: ArgumentHelp(
      "Round sides up to a multiple of so many pixels, up to the longest side at most.",
      valueName: "n"))
  var roundSize = 1

  @Option(
    name: .customLong("max-thumbnail-side"),
    help: ArgumentHelp("The longest side of a thumbnail.", valueName: "n"))
  var maximumThumbnailSide = 4096

  @Option(
    name: .customLong("stale-while-revalidate"),
    help: ArgumentHelp(
      "Let clients use what is stale for so long while they ask anew, where the origin says nothing of it.",
      valueName: "duration"))
  var staleWhileRevalidate: TimeQuantity?

  @Option(
    name: .customLong("stale-if-error"),
    help: ArgumentHelp(
      "Let clients use what is stale for so long when asking fails, where the origin says nothing of it.",
      valueName: "duration"))
  var staleIfError: TimeQuantity?

  @Option(
    help: ArgumentHelp(
      "The image that stands in for what cannot be had, with placeholder=1 (default: the remembered colours, else grey).",
      valueName: "file"))
  var placeholder: String?

  @Option(
    name: .customLong("record-trace"),
    help: ArgumentHelp(
      "Append every request for a picture as a line that 'imgcache simulate' reads.",
      valueName: "file"))
  var recordTrace: String?

  @Option(
    name: .customLong("access-log"),
    help: ArgumentHelp("Write a line for every answer; '-' is stderr.", valueName: "file|-"))
  var accessLog: String?

  func validate() throws {
    guard (1...4096).contains(roundSize), (1...65_535).contains(maximumThumbnailSide) else {
      throw ValidationError("--round-size is 1 to 4096, --max-thumbnail-side 1 to 65535")
    }
    if presetsOnly, presets.isEmpty {
      throw ValidationError("--presets-only needs a --preset")
    }
    for preset in presets where !preset.contains("=") || preset.hasPrefix("=") {
      throw ValidationError("--preset is NAME=QUERY, for example card=w=300&h=200")
    }
  }

  /// The rules that these options describe.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for a preset that makes no thumbnail.
  func rules() throws -> ThumbnailRules {
    var rules = ThumbnailRules()
    rules.rounding = roundSize
    rules.maximumSide = maximumThumbnailSide
    rules.presetsOnly = presetsOnly
    if !allowSizes.isEmpty { rules.allowedSizes = Set(allowSizes.map(\.size)) }
    for preset in presets {
      let parts = preset.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      rules.presets[String(parts[0])] = String(parts[1])
    }
    try rules.check()
    return rules
  }

  /// The keys of the file.
  func signingKeys() throws -> [SigningKey] {
    try signKeyFile.map(SigningKeyFile.read) ?? []
  }
}

/// Reads key files.
enum SigningKeyFile {
  /// - Throws: ``ImageError``: `fileUnreadable`, or `invalidArgument` for a file without a key or a key without a secret.
  static func read(_ path: String) throws -> [SigningKey] {
    let bytes = try InputFile.read(path, maximum: 1 << 20)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw ImageError(.invalidArgument, "the key file \(path) is no text")
    }
    return try SigningKey.list(text)
  }
}
