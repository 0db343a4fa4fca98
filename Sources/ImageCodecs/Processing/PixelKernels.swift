import CImageKernels
import ImageModel

enum PixelKernels {
  static func isOpaque(_ pixels: PixelBuffer) -> Bool { areAll(pixels, imgk_is_opaque) }

  static func isGray(_ pixels: PixelBuffer) -> Bool { areAll(pixels, imgk_is_gray) }

  private static func areAll(
    _ pixels: PixelBuffer, _ meet: (UnsafePointer<UInt8>, Int) -> Bool
  ) -> Bool {
    pixels.bytes.withUnsafeBufferPointer { raw in
      raw.baseAddress.map { meet($0, pixels.size.pixelCount) } ?? true
    }
  }

  static func tint(_ pixels: inout PixelBuffer, with color: PixelColor) {
    change(&pixels) { base, size in imgk_tint(base, size.pixelCount, color.bytes) }
  }

  static func roundCorners(_ pixels: inout PixelBuffer, radius: Double) {
    change(&pixels) { base, size in
      imgk_round_corners(
        base, UInt32(size.width), UInt32(size.height),
        min(radius, Double(min(size.width, size.height)) / 2))
    }
  }

  /// Blurs with a deviation in pixels; false without memory.
  static func blur(_ pixels: inout PixelBuffer, deviation: Double) -> Bool {
    change(&pixels) { base, size in
      imgk_blur(base, UInt32(size.width), UInt32(size.height), deviation)
    } ?? true
  }

  static func gray(_ pixels: inout PixelBuffer) {
    change(&pixels) { base, size in imgk_gray(base, size.pixelCount) }
  }

  static func fade(_ pixels: inout PixelBuffer, opacity: Double) {
    change(&pixels) { base, size in imgk_fade(base, size.pixelCount, opacity) }
  }

  /// Adds to an image its difference to a blurred copy.
  static func sharpen(_ pixels: inout PixelBuffer, against blurred: PixelBuffer) {
    guard blurred.size == pixels.size else { return }
    blurred.bytes.withUnsafeBufferPointer { raw in
      guard let other = raw.baseAddress else { return }
      change(&pixels) { base, size in imgk_sharpen(base, other, size.pixelCount) }
    }
  }

  @discardableResult
  private static func change<Result>(
    _ pixels: inout PixelBuffer, _ body: (UnsafeMutablePointer<UInt8>, PixelSize) -> Result
  ) -> Result? {
    let size = pixels.size
    return pixels.withMutableBytes { room in
      room.baseAddress.map { body($0.assumingMemoryBound(to: UInt8.self), size) }
    }
  }

  static func fill(_ room: UnsafeMutableRawBufferPointer, with color: PixelColor) {
    guard let base = room.baseAddress else { return }
    imgk_fill(base.assumingMemoryBound(to: UInt8.self), room.count / 4, color.bytes)
  }

  /// Draws an image on another, blended with it or in place of it; what would be outside is left
  /// out.
  static func draw(
    _ image: PixelBuffer, on canvas: inout PixelBuffer, left: Int, top: Int, blends: Bool
  ) {
    let size = canvas.size
    let columns = max(0, left)..<max(max(0, left), min(size.width, left + image.width))
    let rows = max(0, top)..<max(max(0, top), min(size.height, top + image.height))
    guard !columns.isEmpty, !rows.isEmpty else { return }
    canvas.withMutableBytes { room in
      image.bytes.withUnsafeBytes { source in
        guard let to = room.baseAddress, let from = source.baseAddress else { return }
        imgk_draw(
          to.advanced(by: 4 * (rows.lowerBound * size.width + columns.lowerBound))
            .assumingMemoryBound(to: UInt8.self), 4 * size.width,
          from.advanced(
            by: 4 * ((rows.lowerBound - top) * image.width + columns.lowerBound - left)
          )
          .assumingMemoryBound(to: UInt8.self), image.bytesPerRow,
          UInt32(columns.count), UInt32(rows.count), blends)
      }
    }
  }

  static func orient(
    _ rows: UnsafeRawBufferPointer, first: Int, count: Int, of size: PixelSize, orientation: Int,
    into upright: UnsafeMutableRawBufferPointer
  ) {
    let uprightWidth = orientation >= 5 ? size.height : size.width
    guard count > 0, rows.count >= count * size.width * 4, first + count <= size.height,
      upright.count >= size.pixelCount * 4,
      let from = rows.baseAddress, let to = upright.baseAddress
    else { return }
    imgk_orient_rows(
      to.assumingMemoryBound(to: UInt8.self), uprightWidth * 4,
      from.assumingMemoryBound(to: UInt8.self), size.width * 4, UInt32(size.width),
      UInt32(size.height), UInt32(first), UInt32(count), UInt32(orientation))
  }
}

/// Finds the part of an image that is most worth keeping when it is cropped.
///
/// The crop is where edges, saturated colours, skin and colours unlike the rest of the image are,
/// weighed by their distance from the middle of the crop. An image without any of these is cropped
/// in the middle. Equal pixels give equal crops on every machine.
enum AttentionCrop {
  /// Returns where the part begins.
  ///
  /// - Parameters:
  ///   - size: The size of the part; a side longer than that of the image is shortened to it.
  ///   - image: The image at the scale of the result.
  /// - Complexity: O(*w* · *h*) in the sides of the image up to 512 pixels a side, and constant
  ///   above.
  static func offset(of size: PixelSize, in image: PixelBuffer) -> (left: Int, top: Int) {
    image.bytes.withUnsafeBufferPointer { raw in
      guard let base = raw.baseAddress else { return (0, 0) }
      var left: UInt32 = 0
      var top: UInt32 = 0
      imgk_find_attention(
        base, UInt32(image.width), UInt32(image.height), UInt32(clamping: size.width),
        UInt32(clamping: size.height), &left, &top)
      return (Int(left), Int(top))
    }
  }
}

/// Scales an image whose rows arrive from the top down; keeps some rows and the result.
final class Resampler {
  private let handle: OpaquePointer
  let target: PixelSize

  /// - Parameters:
  ///   - source: The size of the image.
  ///   - region: The part of it that is scaled.
  ///   - hasAlpha: Whether pixels may not be opaque; then colours are weighed by alpha.
  ///   - isPortable: Whether the plain C kernels are used even where the machine has vector ones.
  /// - Throws: `ImageError` with code `invalidArgument` for a region that is not inside the
  ///   image, or a size without pixels.
  init(
    source: PixelSize, region: PixelRect, target: PixelSize, filter: ResamplingFilter,
    hasAlpha: Bool, isPortable: Bool = false
  ) throws(ImageError) {
    var plan = imgk_resample_plan()
    plan.source_width = UInt32(clamping: source.width)
    plan.source_height = UInt32(clamping: source.height)
    plan.left = region.left
    plan.top = region.top
    plan.width = region.width
    plan.height = region.height
    plan.target_width = UInt32(clamping: target.width)
    plan.target_height = UInt32(clamping: target.height)
    plan.filter = filter == .area ? .area : .lanczos3
    plan.has_alpha = hasAlpha
    plan.portable = isPortable
    guard let handle = imgk_resampler_make(&plan) else {
      throw ImageError(.invalidArgument, "cannot scale \(source) to \(target)")
    }
    self.handle = handle
    self.target = target
  }

  deinit { imgk_resampler_free(handle) }

  var isDone: Bool { imgk_resampler_is_done(handle) }

  /// The columns of the image that are used.
  var columns: Range<Int> {
    var (first, count): (UInt32, UInt32) = (0, 0)
    imgk_resampler_columns(handle, &first, &count)
    return Int(first)..<Int(first + count)
  }

  /// Adds the next rows, without padding, and writes the rows of the whole result that are
  /// complete.
  func feed(
    _ rows: UnsafeRawBufferPointer, count: Int, width: Int,
    into result: UnsafeMutableRawBufferPointer
  ) {
    guard count > 0, rows.count >= count * width * 4, result.count >= target.pixelCount * 4,
      let from = rows.baseAddress, let to = result.baseAddress
    else { return }
    imgk_resampler_feed(
      handle, from.assumingMemoryBound(to: UInt8.self), width * 4, UInt32(count),
      to.assumingMemoryBound(to: UInt8.self), target.width * 4)
  }
}
