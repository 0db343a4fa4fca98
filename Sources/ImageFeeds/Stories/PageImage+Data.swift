import ImageCodecs
import ImageModel
import TextEncodings

extension PageImage {
  /// The longest `data:` URL, in bytes: 2 MiB.
  private static let maximumDataByteCount = 2 << 20

  /// An image of a story in a `data:` URL, which is shown and never fetched.
  ///
  /// - Returns: `nil` for anything but a PNG, JPEG, GIF, WebP or AVIF image in Base64, and for one of
  ///   a few pixels, which only keeps a place.
  init?(dataURL text: String) {
    guard text.utf8.count <= Self.maximumDataByteCount else { return nil }
    let text = text.trimmingWhiteSpace()
    guard let comma = text.firstIndex(of: ","), text.lowercased().hasPrefix("data:image/"),
      text[..<comma].lowercased().hasSuffix(";base64")
    else { return nil }
    // The `=` at the end may be missing or percent-encoded.
    let decoded = String(
      decoding: PercentEncoding.decoded(text[comma...].dropFirst()).bytes, as: UTF8.self)
    let data = decoded.filter { !$0.isWhitespace && $0 != "=" }
    let end = String(repeating: "=", count: (4 - data.utf8.count % 4) % 4)
    guard let bytes = Base64.decoded(data + end),
      let format = ImageFormat(sniffing: bytes.span.bytes),
      [.png, .jpeg, .gif, .webp, .avif].contains(format)
    else { return nil }
    let size = (try? ImageCodecs.info(of: bytes.span.bytes))?.size
    if let size, min(size.width, size.height) < 3 || max(size.width, size.height) < 9 { return nil }
    guard size != nil || format == .avif else { return nil }
    self.init(
      source: "data:\(format.mediaType);base64,\(Base64.encoded(bytes))", width: size?.width ?? 0,
      height: size?.height ?? 0)
  }
}
