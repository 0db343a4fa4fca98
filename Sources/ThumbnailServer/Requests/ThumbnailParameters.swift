import HTTPListening
import HTTPTypes
import ImageCodecs
import ImageModel

struct ThumbnailParameters: Sendable, Hashable {
  let url: String
  let recipe: ThumbnailRecipe?
  /// Whether the format was negotiated by the client's `Accept`.
  let isNegotiated: Bool
  let wantsPlaceholder: Bool

  /// The parameters of a signature, which do not describe the image.
  static let signatureKeys: Set<String> = ["sig", "kid", "exp"]

  /// - Throws: ``Problem``: 400 for an unknown, missing or invalid parameter, 413 for too large a
  /// size.
  static func thumbnail(
    _ query: QueryPairs, accepting: @autoclosure () -> ContentNegotiation, rules: ThumbnailRules
  ) throws(Problem) -> ThumbnailParameters {
    var fields = try Fields(query, rules)
    let url = try fields.url()
    let placeholder = try fields.flag("placeholder")
    let ratio = try fields.number("dpr", 0.1...rules.maximumPixelRatio) ?? 1
    let width = try fields.number("w", 0...1_000_000) ?? 0
    let height = try fields.number("h", 0...1_000_000) ?? 0
    guard width + height > 0 else {
      throw Problem.badParameter("w", "One of w and h has to be greater than 0.")
    }
    // Only a side given as 0 is free, not one that a small ratio rounds to 0.
    func scaled(_ side: Int) -> Double { side == 0 ? 0 : max(1, Double(side) * ratio) }
    let fit = try fields.word("fit") { FitMode(rawValue: $0) } ?? .cover
    var recipe = ThumbnailRecipe(size: try rules.size(scaled(width), scaled(height)), fit: fit)
    let format = try fields.word("format", or: "auto") {
      ImageCodecs.encodableFormat(named: $0)
    }.value
    let quality = try fields.word("q", or: "lossless") { text in
      let digits = text.utf8.allSatisfy { (48...57).contains($0) } ? Int(text) : nil
      return digits.flatMap { (1...100).contains($0) ? $0 : nil }
    }
    recipe.quality = quality.value ?? recipe.quality
    recipe.isLossless = quality.isOther
    recipe.frame = try fields.number("frame", 0...1_000_000)
    recipe.enlarges = try fields.flag("enlarge")
    recipe.background = try fields.word("background") { PixelColor(hex: $0) }
    let focus = try fields.word("focus", or: "auto") { FocalPoint(text: $0) }
    recipe.focus = focus.value ?? .center
    recipe.focusesOnAttention = focus.isOther
    recipe.profile = try fields.word("profile") { ProfileTreatment(rawValue: $0) } ?? .convert
    try recipe.readOperations(&fields, rules)
    recipe.maximumSide = rules.maximumSide
    try fields.end()
    recipe.format = format
    if recipe.isLossless, let format,
      ImageCodecs.encodingTraits(of: format)?.isLossless != true
    {
      throw Problem.badParameter(
        "q", "q=lossless is for PNG, WebP and AVIF, not \(format.displayName).")
    }
    if let format {
      guard ImageCodecs.encodableFormats.contains(format) else {
        throw Problem.badParameter(
          "format", "\(format.displayName) cannot be written on this machine.")
      }
    } else {
      // A lossless AVIF has more bytes than a WebP.
      let formats = rules.negotiatedFormats.filter { !recipe.isLossless || $0 != .avif }
      accepting().choose(among: formats, for: &recipe)
    }
    return ThumbnailParameters(
      url: url, recipe: recipe, isNegotiated: format == nil, wantsPlaceholder: placeholder)
  }

  static func original(_ query: QueryPairs) throws(Problem) -> ThumbnailParameters {
    var fields = try Fields(query, ThumbnailRules())
    let url = try fields.url()
    let placeholder = try fields.flag("placeholder")
    try fields.end()
    return ThumbnailParameters(
      url: url, recipe: nil, isNegotiated: false, wantsPlaceholder: placeholder)
  }
}

extension ThumbnailRecipe {
  fileprivate mutating func readOperations(
    _ fields: inout Fields, _ rules: ThumbnailRules
  ) throws(Problem) {
    crop = try fields.word("crop") { CropRectangle(text: $0) }
    let rotation = try fields.word("rotate") { ["90": 90, "180": 180, "270": 270][$0] }
    let flip = try fields.word("flip") { Orient.Flip(rawValue: $0) }
    orient = Orient(rotatedBy: rotation ?? 0, flipped: flip) ?? orient
    sharpening = try fields.number("sharpen", 0.3...100) ?? 0
    blurring = try fields.number("blur", 0.3...100) ?? 0
    isGray = try fields.flag("gray")
    cornerRadius = try fields.number("radius", 0...65_535) ?? 0
    watermark = try fields.word("watermark") { text in
      let name = text.prefix { $0 != "," }
      guard let mark = rules.watermarks[String(name)] else { return nil }
      return name.endIndex == text.endIndex
        ? mark : mark.placed(String(text[name.endIndex...].dropFirst()))
    }
  }
}

/// Parameters that are removed as they are read, so that what remains is unknown.
private struct Fields {
  private var values: [String: String] = [:]

  init(_ query: QueryPairs, _ rules: ThumbnailRules) throws(Problem) {
    for pair in query.pairs where !ThumbnailParameters.signatureKeys.contains(pair.key) {
      values[pair.key] = pair.value
    }
    let defaults = try rules.defaultPairs()
    let preset =
      values.removeValue(forKey: "preset") ?? defaults.first { $0.key == "preset" }?.value
    let own = try preset.map { name throws(Problem) in try rules.preset(name) } ?? []
    for pair in own + defaults.filter({ $0.key != "preset" }) where values[pair.key] == nil {
      values[pair.key] = pair.value
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
      throw Problem.badParameter("url", "The parameter url is missing.")
    }
    guard WebURL.withoutUserinfo(url) == url else {
      throw Problem.badParameter(
        "url",
        "The parameter url has a user or a password; the server knows those of its origins.")
    }
    return url
  }

  mutating func word<Value>(_ key: String, _ read: (String) -> Value?) throws(Problem) -> Value? {
    guard let text = values.removeValue(forKey: key) else { return nil }
    guard let value = read(text) else {
      throw Problem.badParameter(key, "The value of the parameter \(key) is not valid.")
    }
    return value
  }

  /// A value, or another word in its place.
  mutating func word<Value>(
    _ key: String, or other: String, _ read: (String) -> Value?
  ) throws(Problem) -> (value: Value?, isOther: Bool) {
    if values[key] == other {
      values[key] = nil
      return (nil, true)
    }
    return (try word(key, read), false)
  }

  mutating func number<Value: Comparable & LosslessStringConvertible>(
    _ key: String, _ range: ClosedRange<Value>
  ) throws(Problem) -> Value? {
    try word(key) { text in
      guard text.utf8.count <= 9, text.utf8.allSatisfy({ (48...57).contains($0) || $0 == 46 })
      else { return nil }
      return Value(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }

  mutating func flag(_ key: String) throws(Problem) -> Bool {
    try word(key) { ["1": true, "true": true, "0": false, "false": false][$0] } ?? false
  }

  func end() throws(Problem) {
    guard let unknown = values.keys.min() else { return }
    throw Problem(.badRequest, "unknown_parameter", "The query has an unknown parameter.")
      .about(unknown)
  }
}
