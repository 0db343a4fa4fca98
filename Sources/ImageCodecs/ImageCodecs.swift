public import ImageModel
import TextEncodings

/// Decodes and encodes the formats that this library supports.
///
/// Nothing here keeps state, so any thread may call. A call runs on the calling thread, which
/// should be one that may block.
public enum ImageCodecs {
  /// Returns the properties of an image from its header; no pixel is decoded.
  ///
  /// Damage after the header is not detected, but truncated frames of a GIF are not counted.
  ///
  /// - Throws: `ImageError` with code `notAnImage` where no format is recognised,
  ///   `unsupportedFormat` for one that is recognised but not decoded, `truncated`, `corrupt`, or
  ///   `limitExceeded`.
  public static func info(
    of bytes: RawSpan, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> ImageInfo {
    try inspect(bytes, level: .none, limits: limits)
  }

  /// Decodes an image, or the first frame of an animation, with its EXIF orientation applied.
  ///
  /// - Throws: `ImageError`, see ``check(_:level:limits:)``.
  public static func decode(
    _ bytes: RawSpan, limits: ImageLimits = ImageLimits(), options: DecodingOptions = .init()
  ) throws(ImageError) -> PixelBuffer {
    let reader = try FrameReader(bytes, limits: limits, options: options)
    guard let frame = try reader.next(of: bytes) else {
      throw ImageError(.corrupt, "the file has no frame")
    }
    return frame.pixels
  }

  /// Returns the codec of a file, where there is one and the file is not too large.
  static func codec(
    of bytes: RawSpan, limits: ImageLimits
  ) throws(ImageError) -> any ImageCodec {
    guard bytes.byteCount <= limits.maximumByteCount else {
      throw ImageError(
        .limitExceeded,
        "the file has \(bytes.byteCount) bytes, more than the \(limits.maximumByteCount) allowed")
    }
    if let format = ImageFormat(sniffing: bytes) { return try codec(for: format) }
    if ImageFormat.isUndecided(bytes) {
      throw ImageError(
        .truncated, "the data ends after \(bytes.byteCount) bytes, inside the signature")
    }
    throw ImageError(.notAnImage, "not an image: the data begins with \(beginning(of: bytes))")
  }

  private static func beginning(of bytes: RawSpan) -> String {
    let head = bytes.withUnsafeBytes { [UInt8]($0.prefix(12)) }
    if head.allSatisfy({ (0x20...0x7e).contains($0) }) {
      return "\"" + String(decoding: head, as: UTF8.self) + "\""
    }
    return head.map { Hex.encoded([$0]) }.joined(separator: " ")
  }
}
