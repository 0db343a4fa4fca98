public import ImageModel

/// The format that a file's first bytes identify, regardless of its name or media type.
///
/// Sources: the formats' own specifications; for the brands of ISO base media files ISO/IEC
/// 23008-12 and the AV1 Image File Format.
extension ImageFormat {
  /// The number of first bytes that suffices to identify any format.
  public static let sniffedByteCount = 1024

  /// Reads the signature; `nil` where there is none that is known, or not all of it.
  ///
  /// - Parameter bytes: The beginning of a file; no more than ``sniffedByteCount`` are looked at.
  public init?(sniffing bytes: RawSpan) {
    guard let format = Self.sniffed(bytes, among: CodecList.all) else { return nil }
    self = format
  }

  static func sniffed(_ bytes: RawSpan, among codecs: [any ImageCodec]) -> ImageFormat? {
    let head = bytes.extracting(first: sniffedByteCount)
    if let codec = codecs.first(where: { $0.recognition(of: head) == .yes }) { return codec.format }
    if let known = undecoded.first(where: { $0.signature.recognition(of: head) == .yes }) {
      return known.format
    }
    let bytes = head.withUnsafeBytes { [UInt8]($0) }
    return markupFormat(bytes)
  }

  /// Whether the bytes are too few to identify a format, but could begin an image.
  static func isUndecided(_ bytes: RawSpan) -> Bool {
    let head = bytes.extracting(first: sniffedByteCount)
    return CodecList.all.contains { $0.recognition(of: head) == .undecided }
      || undecoded.contains { $0.signature.recognition(of: head) == .undecided }
  }

  /// The formats that are known by name and have no codec.
  private static let undecoded: [(format: ImageFormat, signature: ImageSignature)] = [
    (.jxl, ImageSignature([0xff, 0x0a])),
    (
      .jxl,
      ImageSignature([0, 0, 0, 0x0c, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a])
    ),
    (.tiff, ImageSignature([0x49, 0x49, 0x2a, 0])),
    (.tiff, ImageSignature([0x4d, 0x4d, 0, 0x2a])),
    (.tiff, ImageSignature([0x49, 0x49, 0x2b, 0, 8, 0])),
    (.tiff, ImageSignature([0x4d, 0x4d, 0, 0x2b, 0, 8])),
    (.ico, ImageSignature([0, 0, 1, 0])),
    // A bitmap's bytes 6 to 9 are reserved and zero, which tells it from a text that begins so.
    (.bmp, ImageSignature([0x42, 0x4d, nil, nil, nil, nil, 0, 0, 0, 0])),
  ]

  /// SVG has no signature: an `svg` element comes first, after what XML allows before it.
  private static func markupFormat(_ head: [UInt8]) -> ImageFormat? {
    // Most heads are not text: looking at one byte spares them the decoding.
    let mark: [UInt8] = [0xef, 0xbb, 0xbf]
    let blanks: [UInt8] = [0x20, 0x09, 0x0a, 0x0c, 0x0d]
    let first = head.dropFirst(head.starts(with: mark) ? 3 : 0).first { !blanks.contains($0) }
    guard first == UInt8(ascii: "<") else { return nil }
    var text = Substring(String(decoding: head, as: UTF8.self))
    if text.first == "\u{feff}" { text.removeFirst() }
    while true {
      text = text.drop(while: \.isWhitespace)
      if text.hasPrefix("<svg") { return .svg }
      let isSkipped =
        text.hasPrefix("<?") || text.hasPrefix("<!--") || text.hasPrefix("<!DOCTYPE svg")
      guard isSkipped, let end = text.firstIndex(of: ">") else { return nil }
      text = text[text.index(after: end)...]
    }
  }
}
