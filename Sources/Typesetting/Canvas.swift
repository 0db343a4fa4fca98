import CTypesetting
public import ImageCodecs
public import ImageModel

/// Pages on which shapes, images and texts in the fonts of the system are drawn.
///
///     let canvas = try Canvas(PixelSize(width: 640, height: 200))
///     canvas.fill(canvas.bounds, .white)
///     canvas.text("知乎日报", x: 20, y: 20, TextStyle(size: 24, weight: 700))
///     let pixels = try canvas.pixels()
///
/// Texts may come from anywhere: control characters become white space, characters that change the
/// direction are left out, and a text is cut after 600 characters.
public final class Canvas {
  /// The output of a canvas.
  public enum Output: Sendable {
    /// An image; see ``Canvas/pixels()``.
    case pixels
    /// A PDF document whose texts can be selected; see ``Canvas/pdf()``.
    case pdf
  }

  /// The maximum pixels of a side: what Cairo draws.
  public static let maximumSide = 32_767
  /// The maximum pixels of a canvas: 64 million, 256 MiB.
  public static let maximumPixels = 64_000_000

  /// The size of the page in units.
  public private(set) var bounds: CanvasBox
  /// The characters so far that no installed font has.
  public private(set) var missingGlyphs = MissingGlyphs()

  private let canvas: OpaquePointer
  private let output: Output
  private let scale: Double
  private var size: PixelSize
  private var failure: ImageError?

  /// Creates a transparent page, with `scale` pixels a unit; `libraries` are loaded in place of the
  /// system's.
  ///
  /// - Throws: ``ImageError`` with code `library_missing` without Pango and Cairo or any font,
  /// `limitExceeded` for a page above ``maximumSide`` or ``maximumPixels``, `invalidArgument` for
  /// one without pixels.
  public init(
    _ size: PixelSize, scale: Double = 1, output: Output = .pixels,
    libraries: [String]? = nil
  ) throws(ImageError) {
    let pixels = try Self.checked(size, scale)
    try TypesettingLibraries.load(libraries)
    guard
      let canvas = imgc_canvas_create(
        Int32(pixels.width), Int32(pixels.height), scale, output == .pdf ? 1 : 0)
    else { throw Self.failed("out of memory") }
    self.canvas = canvas
    self.output = output
    self.scale = scale
    self.size = pixels
    bounds = Self.bounds(of: size)
    try check()
  }

  /// Checks that texts can be drawn here, before work that would be lost.
  ///
  /// - Throws: ``ImageError`` with code `library_missing` without Pango and Cairo, or any font.
  public static func prepare() throws(ImageError) {
    _ = try Canvas(PixelSize(width: 1, height: 1))
  }

  deinit { imgc_canvas_free(canvas) }

  /// Ends the page of a PDF and begins the next.
  ///
  /// - Precondition: The output is `pdf`.
  /// - Throws: As ``init(_:scale:output:libraries:)``.
  public func beginPage(_ size: PixelSize) throws(ImageError) {
    precondition(output == .pdf, "an image has one page")
    let pixels = try Self.checked(size, scale)
    imgc_canvas_next_page(canvas, Int32(pixels.width), Int32(pixels.height))
    self.size = pixels
    bounds = Self.bounds(of: size)
    try check()
  }

  /// Fills a rectangle.
  public func fill(_ box: CanvasBox, _ color: PixelColor) {
    imgc_canvas_fill(canvas, box.bridged, color.bridged)
  }

  /// Draws a line through points; `dashes` are the lengths drawn and skipped in turn.
  public func line(
    _ points: [(x: Double, y: Double)], width: Double, _ color: PixelColor, dashes: [Double] = []
  ) {
    let list = points.flatMap { [$0.x, $0.y] }
    imgc_canvas_line(canvas, list, points.count, width, color.bridged, dashes, dashes.count)
  }

  /// Draws an image, scaled to a rectangle; a PDF contains the JPEG in place of the pixels, as it
  /// is smaller.
  public func image(_ image: PixelBuffer, in box: CanvasBox, jpeg: [UInt8]? = nil) {
    guard image.width > 0, image.height > 0 else { return }
    let isDrawn = image.bytes.withUnsafeBufferPointer { bytes in
      guard let base = bytes.baseAddress else { return true }
      return imgc_canvas_image(
        canvas, base, Int32(image.width), Int32(image.height), box.bridged, jpeg, jpeg?.count ?? 0)
        == 1
    }
    if !isDrawn { failure = Self.failed("out of memory") }
  }

  /// Sets a text: `x` is the left edge of its lines, or without a width the position that the
  /// alignment defines, `y` the upper edge or the baseline, as the style specifies. Returns the
  /// width and the height of its lines.
  @discardableResult
  public func text(
    _ text: String, x: Double, y: Double, _ style: TextStyle
  ) -> (width: Double, height: Double) {
    let text = DrawableText.cleaned(text)
    let extent = set(text, x: x, y: y, style, draws: true)
    if extent.missing > 0 { record(missing: Int(extent.missing), in: text, style) }
    return (extent.width, extent.height)
  }

  /// Returns the width and the height that a text would have.
  public func extent(of text: String, _ style: TextStyle) -> (width: Double, height: Double) {
    let extent = set(DrawableText.cleaned(text), x: 0, y: 0, style, draws: false)
    return (extent.width, extent.height)
  }

  /// Returns the page as opaque pixels; what was left transparent is black.
  ///
  /// - Throws: ``ImageError`` with code `outOfMemory` or `limitExceeded` if something could not be drawn.
  public func pixels() throws(ImageError) -> PixelBuffer {
    try check()
    return try PixelBuffer(
      size: size,
      overwrittenBy: { bytes throws(ImageError) in
        guard let room = bytes.baseAddress, imgc_canvas_pixels(canvas, room) == 1 else {
          throw Self.failed("out of memory")
        }
      })
  }

  /// Ends the document and returns it; nothing may be drawn afterwards.
  ///
  /// - Throws: ``ImageError`` if something could not be drawn, or for more than 1 GiB.
  public func pdf() throws(ImageError) -> [UInt8] {
    try check()
    var count = 0
    let bytes = imgc_canvas_finish(canvas, &count)
    try check()
    return Array(UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
  }

  // MARK: Details

  private func set(
    _ text: String, x: Double, y: Double, _ style: TextStyle, draws: Bool
  ) -> imgc_text_extent {
    var text = text
    return text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bytes in
        guard let base = bytes.baseAddress, bytes.count > 0 else { return imgc_text_extent() }
        return imgc_canvas_text(canvas, base, bytes.count, x, y, style.bridged, draws ? 1 : 0)
      }
    }
  }

  private func record(missing count: Int, in text: String, _ style: TextStyle) {
    let eastAsian = String(
      String.UnicodeScalarView(text.unicodeScalars.filter(MissingGlyphs.isEastAsian)))
    let part = min(count, Int(set(eastAsian, x: 0, y: 0, style, draws: false).missing))
    missingGlyphs.eastAsianCount += part
    missingGlyphs.otherCount += count - part
  }

  private func check() throws(ImageError) {
    if let failure { throw failure }
    guard let reason = imgc_canvas_failure(canvas) else { return }
    let text = String(cString: reason)
    guard text != "no font is installed" else {
      throw ImageError(
        .libraryMissing,
        "no font is installed, so no text can be drawn; install fonts-noto-cjk or fonts-wqy-microhei (Debian, Ubuntu)"
      )
    }
    throw Self.failed(text)
  }

  private static func failed(_ reason: String) -> ImageError {
    ImageError(
      reason == "out of memory" ? .outOfMemory : .limitExceeded,
      "Cairo cannot draw the page: \(reason)")
  }

  private static func bounds(of size: PixelSize) -> CanvasBox {
    CanvasBox(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
  }

  private static func checked(_ size: PixelSize, _ scale: Double) throws(ImageError) -> PixelSize {
    guard size.width > 0, size.height > 0, scale > 0, scale <= 16 else {
      throw ImageError(.invalidArgument, "a page of \(size) at scale \(scale) has no pixels")
    }
    let limit = Double(maximumSide)
    let (width, height) = (Double(size.width) * scale, Double(size.height) * scale)
    guard max(width, height) <= limit, width * height <= Double(maximumPixels) else {
      throw ImageError(
        .limitExceeded,
        "a page of \(Int(min(width, 1e9))) x \(Int(min(height, 1e9))) pixels is above the limits of \(maximumSide) a side and \(maximumPixels) in all"
      )
    }
    return PixelSize(width: max(1, Int(width)), height: max(1, Int(height)))
  }
}
