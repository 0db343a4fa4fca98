import HTTPListening
import HTTPTypes
public import ImageCodecs
public import ImageModel

/// The thumbnails that may be requested: free sizes fragment a cache, and large ones cost time.
public struct ThumbnailRules: Sendable, Hashable {
  /// The allowed sizes, `dpr` included. Default: any.
  public var allowedSizes: Set<PixelSize>?
  /// Sides are rounded up to a multiple of this many pixels, up to ``maximumSide``. Default: 1, no
  /// rounding.
  public var rounding = 1
  /// Named sets of parameters, each written as a query: `"card": "w=300&h=200&fit=cover"`.
  /// Default: none.
  public var presets: [String: String] = [:]
  /// The parameters that a request or its preset may override, written as a query: `"fit=inside"`.
  /// Default: none.
  public var defaults = ""
  /// The images that the parameter `watermark` names. Default: none.
  public var watermarks: [String: Watermark] = [:]
  /// The formats that a request without one may get where its `Accept` names them, the best one
  /// first; AVIF and WebP are negotiated so. Default: both, AVIF where this machine can write it.
  /// What moves becomes a WebP, or a GIF.
  public var negotiatedFormats = [ImageFormat.avif, .webp]
    .filter(ImageCodecs.encodableFormats.contains)
  /// Whether only presets are allowed. Default: no.
  public var presetsOnly = false
  /// The longest side of a thumbnail. Default: 4,096.
  public var maximumSide = 4096
  /// The largest `dpr`. Default: 4.
  public var maximumPixelRatio = 4.0

  /// The defaults.
  public init() {}

  /// - Throws: ``Problem``: 400 for a size that is not allowed, 413 for one that is too large.
  func size(_ width: Double, _ height: Double) throws(Problem) -> PixelSize {
    func side(_ length: Double) -> Int {
      let pixels = Int(length.rounded())
      return min(maximumSide, (pixels + rounding - 1) / rounding * rounding)
    }
    guard max(width, height) <= Double(maximumSide) else {
      throw Problem(.contentTooLarge, "limit_exceeded", "The thumbnail exceeds the maximum size.")
        .about(width > height ? "w" : "h")
    }
    let size = PixelSize(width: side(width), height: side(height))
    if let allowedSizes, !allowedSizes.contains(size) {
      throw Problem(.badRequest, "size_not_allowed", "This size is not allowed.")
    }
    return size
  }

  /// Checks that every preset describes a thumbnail, and that the defaults are parameters of one.
  ///
  /// - Throws: `ImageError` with code `invalidArgument`.
  public func check() throws(ImageError) {
    try checkDefaults()
    for (name, text) in presets {
      do throws(Problem) {
        let target = "/thumb?url=http%3A%2F%2Fexample.org%2F&preset=" + QueryPairs.encoded(name)
        _ = try ThumbnailParameters.thumbnail(
          QueryPairs(target: target), accepting: .any, rules: self)
      } catch {
        throw ImageError(.invalidArgument, "the preset \(name)=\(text): \(error.detail)")
      }
    }
  }

  private func checkDefaults() throws(ImageError) {
    do throws(Problem) {
      let pairs = try defaultPairs()
      for pair in pairs
      where pair.key == "url" || ThumbnailParameters.signatureKeys.contains(pair.key) {
        throw Problem.badParameter(pair.key, "The parameter \(pair.key) has no default.")
      }
      var rules = self
      (rules.allowedSizes, rules.presetsOnly) = (nil, false)
      // A size only where they have none.
      let keys = Set(pairs.map(\.key))
      let size = keys.isDisjoint(with: ["w", "h", "preset"]) ? "&w=1&h=1" : ""
      _ = try ThumbnailParameters.thumbnail(
        QueryPairs(target: "/thumb?url=http%3A%2F%2Fexample.org%2F" + size), accepting: .any,
        rules: rules)
    } catch {
      throw ImageError(.invalidArgument, "the defaults \(defaults): \(error.detail)")
    }
  }

  func defaultPairs() throws(Problem) -> [QueryPairs.Pair] {
    defaults.isEmpty ? [] : try QueryPairs(target: "?" + defaults).pairs
  }

  func preset(_ name: String) throws(Problem) -> [QueryPairs.Pair] {
    guard let text = presets[name] else {
      throw Problem(.badRequest, "no_such_preset", "Unknown preset.").about("preset")
    }
    return try QueryPairs(target: "?" + text).pairs
  }
}
