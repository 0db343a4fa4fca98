extension ImageCodecs {
  /// Reads what the file says of itself; no pixel is decoded.
  ///
  /// Damage behind the header goes unnoticed, but the frames of a GIF that are cut are not counted.
  ///
  /// - Throws: ``ImageError`` with code `notAnImage` where no format is recognised,
  ///   `unsupportedFormat` for one that is known and not read here, `truncated`, `corrupt`, or
  ///   `limitExceeded`.
  public static func info(
    of bytes: RawSpan, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> ImageInfo {
    switch try decodableFormat(of: bytes, limits: limits) {
    case .gif: try GIFFrames(bytes, limits: limits).info
    case .png: try CodecBridge.scan(.png, bytes, limits: limits, toEnd: false)
    default: try CodecBridge.scan(.jpeg, bytes, limits: limits, toEnd: false)
    }
  }

  /// Decodes the image, of an animation the first frame, upright as its EXIF orientation says.
  ///
  /// - Throws: ``ImageError``, see ``check(_:level:limits:)``.
  public static func decode(
    _ bytes: RawSpan, limits: ImageLimits = ImageLimits(), options: DecodingOptions = .init()
  ) throws(ImageError) -> PixelBuffer {
    let reader = try FrameReader(bytes, limits: limits, options: options)
    guard let frame = try reader.next(of: bytes) else {
      throw ImageError(.corrupt, "the file does not contain an image")
    }
    return frame.pixels
  }

  /// The format, when it is one that is read here and the file is not too large.
  static func decodableFormat(
    of bytes: RawSpan, limits: ImageLimits
  ) throws(ImageError) -> ImageFormat {
    guard bytes.byteCount <= limits.maximumByteCount else {
      throw ImageError(
        .limitExceeded,
        "the file has \(bytes.byteCount) bytes, more than the \(limits.maximumByteCount) allowed")
    }
    if let format = ImageFormat(sniffing: bytes) {
      if format.isDecodable { return format }
      throw ImageError(
        .unsupportedFormat,
        "\(format.rawValue.uppercased()) cannot be read; JPEG, PNG and GIF can")
    }
    if ImageFormat.isUndecided(bytes) {
      throw ImageError(
        .truncated, "the data ends after \(bytes.byteCount) bytes, inside the signature")
    }
    throw ImageError(.notAnImage, "not an image: the data begins with \(beginning(of: bytes))")
  }

  /// The first bytes in a form that is safe to print.
  private static func beginning(of bytes: RawSpan) -> String {
    let head = bytes.withUnsafeBytes { [UInt8]($0.prefix(12)) }
    if head.allSatisfy({ (0x20...0x7e).contains($0) }) {
      return "\"" + String(decoding: head, as: UTF8.self) + "\""
    }
    return head.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
  }
}
