public import ArgumentParser
public import ImageCodecs
import ImageModel

struct ThumbnailOptions: ParsableArguments {
  @Option(
    help: .value(
      "WxH", "The box in pixels; a side of 0 is free.",
      "Repeat the option for thumbnails of several sizes."))
  var size: [ThumbnailSize]

  @Option(
    help: .text(
      "How the image fits the box (default: cover).",
      "cover crops, contain pads, fill distorts, inside only shrinks."))
  var fit: FitMode?

  @Option(help: .text("The format.", "auto is JPEG, or PNG if the image has alpha."))
  var format = ThumbnailFormat(nil)

  @Option(
    help: .value(
      "1-100|lossless", "The quality of a JPEG, WebP or AVIF.",
      "All are about as good as a JPEG of the number; lossless is for PNG, WebP and AVIF."))
  var quality = ThumbnailQuality(80)

  @Option(
    help: .rare(
      "n", "Use one frame of an animation, from 0.", "Without it, a GIF or WebP gets all."))
  var frame: Int?
  @Flag(help: .rare(nil, "Enlarge a small image to the box.")) var enlarge = false

  @Option(help: .rare("RRGGBB", "The colour under and beside the image."))
  var background: PixelColor?

  @Option(
    help: .rare(
      "X,Y|auto", "The part that cropping keeps (default: the centre).",
      "A point in shares of the sides, such as 0.5,0.3, or auto for the most interesting part."))
  var focus: ThumbnailFocus?

  @Option(
    help: .rare(
      nil, "What becomes of the colour profile.",
      "convert makes the pixels sRGB; drop leaves them as they are."))
  var profile = ProfileTreatment.convert

  @Option(
    help: .rare(
      nil, "What is kept of EXIF and IPTC.",
      "copyright keeps it and the author; all keeps EXIF, with the place where a photo was taken."))
  var metadata = MetadataTreatment.copyright

  @Option(
    help: .rare(
      "X,Y,W,H", "Use a part of the image.",
      "In pixels of the upright image; numbers with a point are shares of its sides: 0.25,0.0,0.5,1.0"
    ))
  var crop: CropRectangle?
  @Option(help: .rare("90|180|270", "Rotate clockwise, after --crop."))
  var rotate: Rotation?
  @Option(help: .rare("h|v|hv", "Mirror, after --rotate.")) var flip: Orient.Flip?
  @Option(help: .rare("0.3-100", "Sharpen, with a deviation in pixels of the result."))
  var sharpen: Deviation?
  @Option(help: .rare("0.3-100", "Blur, with a deviation in pixels of the result."))
  var blur: Deviation?
  @Flag(help: .rare(nil, "Make the result gray.")) var gray = false
  @Option(
    help: .rare(
      "file[,position[,scale[,opacity]]]", "Draw an image over the result.",
      "The position is center, north, northeast, …; the scale is a share of the shorter side (default: center,0.25,0.7)."
    ), completion: .file())
  var watermark: WatermarkName?
  @Option(help: .rare("pixels", "Round the corners.")) var radius: CornerRadius?

  func validate() throws {
    try require(!size.isEmpty, "Missing expected argument '--size <WxH>'")
    try check(format.format)
    try require(frame ?? 0 >= 0, "--frame counts from 0")
  }

  func check(_ format: ImageFormat?) throws {
    guard quality.value == nil, let format,
      ImageCodecs.encodingTraits(of: format)?.isLossless != true
    else { return }
    throw ValidationError("--quality lossless is for PNG, WebP and AVIF, not \(format.displayName)")
  }

  /// The recipes of all sizes, without the watermark, whose file they do not read.
  var recipes: [ThumbnailRecipe] {
    size.map { size in
      var recipe = ThumbnailRecipe(size: size.size, fit: fit ?? size.fit)
      recipe.format = format.format
      recipe.quality = quality.value ?? recipe.quality
      recipe.isLossless = quality.value == nil
      recipe.frame = frame
      recipe.enlarges = enlarge
      recipe.background = background
      recipe.focus = focus?.point ?? .center
      recipe.focusesOnAttention = focus.map { $0.point == nil } ?? false
      recipe.profile = profile
      recipe.metadata = metadata
      recipe.crop = crop
      recipe.orient = Orient(rotatedBy: rotate?.degrees ?? 0, flipped: flip) ?? recipe.orient
      recipe.sharpening = sharpen?.pixels ?? 0
      recipe.blurring = blur?.pixels ?? 0
      recipe.isGray = gray
      recipe.cornerRadius = radius?.pixels ?? 0
      return recipe
    }
  }
}

extension CropRectangle: @retroactive ExpressibleByArgument {
  /// Reads `X,Y,W,H`.
  public init?(argument: String) { self.init(text: argument) }
}

extension Orient.Flip: @retroactive ExpressibleByArgument {}

/// Degrees clockwise.
enum Rotation: Int, ExpressibleByArgument, CaseIterable {
  case quarter = 90
  case half = 180
  case threeQuarters = 270

  var degrees: Int { rawValue }
}

struct Deviation: ExpressibleByArgument {
  let pixels: Double

  init?(argument: String) {
    guard let pixels = Double(argument), (0.3...100).contains(pixels) else { return nil }
    self.pixels = pixels
  }
}

struct CornerRadius: ExpressibleByArgument {
  let pixels: Double

  init?(argument: String) {
    guard let pixels = Double(argument), (0...65_535).contains(pixels) else { return nil }
    self.pixels = pixels
  }
}

/// `FILE[,POSITION[,SCALE[,OPACITY]]]`; the name of the file may have commas, too.
struct WatermarkName: ExpressibleByArgument {
  let path: String
  private let placement: String?

  init?(argument: String) {
    let parts = argument.split(separator: ",", omittingEmptySubsequences: false)
    let place = parts.indices.dropFirst().last {
      Watermark.Position(rawValue: String(parts[$0])) != nil
    }
    path = parts[..<(place ?? parts.endIndex)].joined(separator: ",")
    placement = place.map { parts[$0...].joined(separator: ",") }
    if path.isEmpty { return nil }
  }

  func read(namedBy option: String = "--watermark") throws(ImageError) -> Watermark {
    let bytes = try InputFile.read(path, maximum: 64 << 20, namedBy: option)
    let mark = try ImageError.misuse(about: "\(option) \(path)") { () throws(ImageError) in
      try Watermark(of: bytes.span.bytes)
    }
    guard let placement else { return mark }
    guard let placed = mark.placed(placement) else {
      throw .misuse(
        "\(option) is FILE,POSITION,SCALE,OPACITY, with a scale above 0 to 1 and an opacity of 0 to 1"
      )
    }
    return placed
  }
}

extension FitMode: @retroactive ExpressibleByArgument {}
extension ProfileTreatment: @retroactive ExpressibleByArgument {}
extension MetadataTreatment: @retroactive ExpressibleByArgument {}

struct ThumbnailFormat: ExpressibleByArgument {
  let format: ImageFormat?

  init(_ format: ImageFormat?) { self.format = format }

  init?(argument: String) {
    format = ImageCodecs.encodableFormat(named: argument)
    if format == nil, argument != "auto" { return nil }
  }

  var defaultValueDescription: String { format?.rawValue ?? "auto" }

  static var allValueStrings: [String] { ["auto"] + ImageCodecs.encodableFormats.map(\.rawValue) }

  static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}

/// Formats that are negotiated, separated by commas: `avif,webp`; `none` for no format.
struct NegotiatedFormats: ExpressibleByArgument {
  let formats: [ImageFormat]

  init?(argument: String) {
    let names =
      argument == "none" ? [] : argument.split(separator: ",", omittingEmptySubsequences: false)
    formats = names.map { ImageFormat(rawValue: String($0)) }
    guard Set(formats).count == formats.count, Set(formats).isSubset(of: [.avif, .webp]) else {
      return nil
    }
  }
}

struct ThumbnailQuality: ExpressibleByArgument {
  /// 1 through 100; `nil` for `lossless`.
  let value: Int?

  init(_ value: Int) { self.value = value }

  init?(argument: String) {
    value = Int(argument)
    if let value, !(1...100).contains(value) { return nil }
    if value == nil, argument != "lossless" { return nil }
  }

  var defaultValueDescription: String { value.map(String.init) ?? "lossless" }
}

extension PixelColor: @retroactive ExpressibleByArgument {
  /// Reads `RRGGBB`.
  public init?(argument: String) { self.init(hex: argument) }
}

struct ThumbnailFocus: ExpressibleByArgument {
  /// `nil` for `auto`, the most interesting part.
  let point: FocalPoint?

  init?(argument: String) {
    point = FocalPoint(text: argument)
    if point == nil, argument != "auto" { return nil }
  }
}

/// A size with a fit: `200x200`, `640x0:inside`. One side may be 0: free.
struct ThumbnailSize: ExpressibleByArgument, Hashable, Sendable {
  let size: PixelSize
  let fit: FitMode

  var recipe: ThumbnailRecipe { ThumbnailRecipe(size: size, fit: fit) }

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let size = PixelSize(parts[0], maximum: 65_535), size.width + size.height > 0,
      let fit = parts.count == 2 ? FitMode(rawValue: String(parts[1])) : .cover
    else { return nil }
    (self.size, self.fit) = (size, fit)
  }
}

extension PixelSize {
  init?(_ text: Substring, maximum: Int) {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? -1 }
    guard sides.count == 2, sides.allSatisfy((0...maximum).contains) else { return nil }
    self.init(width: sides[0], height: sides[1])
  }
}
