import HTTPListening
import ImageCodecs
import ImageModel

/// The parameters of a request for an image, parsed from its query.
struct ThumbnailParameters: Sendable, Hashable {
  /// The URL of the original, as spelled.
  let url: String
  /// The recipe of the thumbnail; `nil` for the original.
  let recipe: ThumbnailRecipe?
  /// Whether the format was negotiated by the client's `Accept`.
  let isNegotiated: Bool
  /// Whether a placeholder is served for an unavailable image.
  let wantsPlaceholder: Bool

  /// The parameters of a signature, which do not describe the image.
  static let signatureKeys: Set<String> = ["sig", "kid", "exp"]

  /// Parses the query of `/thumb`.
  ///
  /// - Throws: ``Problem``: 400 for an unknown, missing or invalid parameter, 413 for too large a
  ///   size.
  static func thumbnail(
    _ query: QueryPairs, accepting: @autoclosure () -> ContentNegotiation, rules: ThumbnailRules
  ) throws(Problem) -> ThumbnailParameters {
    var fields = try Fields(query, rules)
    let url = try fields.url()
    let placeholder = try fields.flag("placeholder")
    let ratio = try fields.number("dpr", 0.1...rules.maximumPixelRatio) ?? 1
    let width = try fields.integer("w", 0...1_000_000) ?? 0
    let height = try fields.integer("h", 0...1_000_000) ?? 0
    guard width + height > 0 else {
      throw Problem(.badRequest, "bad_parameter", "One of w and h has to be greater than 0.")
    }
    // Only a side given as 0 is free, not one that a small ratio rounds to 0.
    func scaled(_ side: Int) -> Double { side == 0 ? 0 : max(1, Double(side) * ratio) }
    let fit = try fields.word("fit") { FitMode(rawValue: $0) } ?? .cover
    var recipe = ThumbnailRecipe(size: try rules.size(scaled(width), scaled(height)), fit: fit)
    let format = try fields.word("format") { FormatWord($0) }?.format
    if let quality = try fields.word("q", { QualityWord($0) }) {
      recipe.quality = quality.value ?? recipe.quality
      recipe.isLossless = quality.value == nil
    }
    recipe.frame = try fields.integer("frame", 0...1_000_000)
    recipe.enlarges = try fields.flag("enlarge")
    recipe.background = try fields.word("background") { PixelColor(hex: $0) }
    if let focus = try fields.word("focus", { FocusWord($0) }) {
      recipe.focus = focus.point ?? .center
      recipe.focusesOnAttention = focus.point == nil
    }
    recipe.profile = try fields.word("profile") { ProfileTreatment(rawValue: $0) } ?? .convert
    recipe.maximumSide = rules.maximumSide
    try fields.end()
    recipe.format = format
    if recipe.isLossless, let format,
      ImageCodecs.encodingTraits(of: format)?.isLossless != true
    {
      throw Problem(
        .badRequest, "bad_parameter", "q=lossless is for PNG and WebP, not \(format.displayName).")
    }
    if format == nil {
      switch accepting() {
      case .any: recipe.followsSource = true
      case .webp: recipe.format = .webp
      case .jpeg: recipe.format = .jpeg
      case .png: recipe.format = .png
      case .gif: recipe.format = .gif
      }
    }
    return ThumbnailParameters(
      url: url, recipe: recipe, isNegotiated: format == nil, wantsPlaceholder: placeholder)
  }

  /// Parses the query of `/image`.
  static func original(_ query: QueryPairs) throws(Problem) -> ThumbnailParameters {
    var fields = try Fields(query, ThumbnailRules())
    let url = try fields.url()
    let placeholder = try fields.flag("placeholder")
    try fields.end()
    return ThumbnailParameters(
      url: url, recipe: nil, isNegotiated: false, wantsPlaceholder: placeholder)
  }
}

/// Parameters that are removed as they are read, so that what remains is unknown.
private struct Fields {
  private var values: [String: String] = [:]

  init(_ query: QueryPairs, _ rules: ThumbnailRules) throws(Problem) {
    for pair in query.pairs where !ThumbnailParameters.signatureKeys.contains(pair.key) {
      values[pair.key] = pair.value
    }
    let preset = values.removeValue(forKey: "preset")
    if let preset {
      for pair in try rules.preset(preset) where values[pair.key] == nil {
        values[pair.key] = pair.value
      }
    }
    if rules.presetsOnly {
      // Any other parameter would make a thumbnail beside the presets.
      let others = query.pairs.map(\.key).filter {
        !ThumbnailParameters.signatureKeys.contains($0)
          && !["url", "preset", "placeholder"].contains($0)
      }
      guard preset != nil, others.isEmpty else {
        throw Problem(.badRequest, "preset_required", "Only presets are allowed.")
      }
    }
  }

  /// The URL of the original, without a user: what one client's password opens, all would get.
  mutating func url() throws(Problem) -> String {
    guard let url = values.removeValue(forKey: "url"), !url.isEmpty else {
      throw Problem(.badRequest, "bad_parameter", "The parameter url is missing.")
    }
    guard WebURL.withoutUserinfo(url) == url else {
      throw Problem(
        .badRequest, "bad_parameter",
        "The parameter url has a user or a password; the server knows those of its origins.")
    }
    return url
  }

  mutating func word<Value>(_ key: String, _ read: (String) -> Value?) throws(Problem) -> Value? {
    guard let text = values.removeValue(forKey: key) else { return nil }
    guard let value = read(text) else {
      throw Problem(.badRequest, "bad_parameter", "The value of the parameter \(key) is not valid.")
    }
    return value
  }

  mutating func integer(_ key: String, _ range: ClosedRange<Int>) throws(Problem) -> Int? {
    try word(key) { text in
      guard !text.isEmpty, text.utf8.count <= 9, text.utf8.allSatisfy({ (48...57).contains($0) })
      else { return nil }
      return Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func number(_ key: String, _ range: ClosedRange<Double>) throws(Problem) -> Double? {
    try word(key) { text in
      guard text.utf8.count <= 9, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 })
      else {
        return nil
      }
      return Double(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func flag(_ key: String) throws(Problem) -> Bool {
    try word(key) { ["1": true, "true": true, "0": false, "false": false][$0] } ?? false
  }

  func end() throws(Problem) {
    guard values.isEmpty else {
      throw Problem(
        .badRequest, "unknown_parameter", "The query has an unknown parameter.")
    }
  }
}

/// A format by name; `auto` is `nil`.
private struct FormatWord {
  let format: ImageFormat?

  init?(_ name: String) {
    format = ImageCodecs.encodableFormat(named: name)
    if format == nil, name != "auto" { return nil }
  }
}

/// A point; `auto` is `nil`.
private struct FocusWord {
  let point: FocalPoint?

  init?(_ text: String) {
    point = FocalPoint(text: text)
    if point == nil, text != "auto" { return nil }
  }
}

/// A quality from 1 to 100; `lossless` is `nil`.
private struct QualityWord {
  let value: Int?

  init?(_ text: String) {
    value = text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
    if let value, !(1...100).contains(value) { return nil }
    if value == nil, text != "lossless" { return nil }
  }
}
