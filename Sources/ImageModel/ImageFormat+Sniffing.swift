/// Which format a file's first bytes name. Sources: the formats' own specifications; for the brands
/// of ISO base media files ISO/IEC 23008-12 and the AV1 Image File Format.
extension ImageFormat {
  /// How many first bytes are enough to tell any format.
  public static let sniffedByteCount = 1024

  /// Reads the signature; `nil` where there is none that is known, or not all of it.
  ///
  /// - Parameter bytes: The beginning of a file; no more than ``sniffedByteCount`` are looked at.
  public init?(sniffing bytes: RawSpan) {
    let head = bytes.withUnsafeBytes { [UInt8]($0.prefix(Self.sniffedByteCount)) }
    if let signature = Self.signatures.first(where: { $0.matches(head) }) {
      self = signature.format
    } else if let format = Self.brandedFormat(head) ?? Self.markupFormat(head) {
      self = format
    } else {
      return nil
    }
  }

  /// Whether the bytes are too few to tell, but what there is could begin an image.
  public static func isUndecided(_ bytes: RawSpan) -> Bool {
    let head = bytes.withUnsafeBytes { [UInt8]($0.prefix(sniffedByteCount)) }
    if signatures.contains(where: { $0.couldBegin(with: head) }) { return true }
    let beginsABox = head.prefix(3).allSatisfy { $0 == 0 }
    return head.count < 12 && beginsABox && zip(head.dropFirst(4), "ftyp".utf8).allSatisfy(==)
  }

  /// Bytes at the beginning of a file; `nil` is any byte.
  private struct Signature {
    let format: ImageFormat
    let pattern: [UInt8?]

    init(_ format: ImageFormat, _ pattern: [UInt8?]) {
      self.format = format
      self.pattern = pattern
    }

    init(_ format: ImageFormat, _ text: String) {
      self.init(format, text.utf8.map { $0 == UInt8(ascii: ".") ? nil : $0 })
    }

    func matches(_ head: [UInt8]) -> Bool {
      head.count >= pattern.count && couldBegin(head)
    }

    func couldBegin(with head: [UInt8]) -> Bool {
      head.count < pattern.count && couldBegin(head)
    }

    private func couldBegin(_ head: [UInt8]) -> Bool {
      zip(pattern, head).allSatisfy { $0 == nil || $0 == $1 }
    }
  }

  private static let signatures: [Signature] = [
    // The third byte is 0xff, unless stray bytes precede the first marker; no other format begins
    // so.
    Signature(.jpeg, [0xff, 0xd8]),
    Signature(.png, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    Signature(.gif, "GIF87a"),
    Signature(.gif, "GIF89a"),
    Signature(.webp, "RIFF....WEBP"),
    Signature(.jxl, [0xff, 0x0a]),
    Signature(
      .jxl, [0, 0, 0, 0x0c, 0x4a, 0x58, 0x4c, 0x20, 0x0d, 0x0a, 0x87, 0x0a]),
    Signature(.tiff, [0x49, 0x49, 0x2a, 0]),
    Signature(.tiff, [0x4d, 0x4d, 0, 0x2a]),
    Signature(.tiff, [0x49, 0x49, 0x2b, 0, 8, 0]),
    Signature(.tiff, [0x4d, 0x4d, 0, 0x2b, 0, 8]),
    Signature(.ico, [0, 0, 1, 0]),
    // A bitmap's bytes 6 to 9 are reserved and zero, which tells it from a text that begins so.
    Signature(.bmp, [0x42, 0x4d, nil, nil, nil, nil, 0, 0, 0, 0]),
  ]

  /// An ISO base media file: the brands of its first box, the major one before the compatible ones.
  private static func brandedFormat(_ head: [UInt8]) -> ImageFormat? {
    guard head.count >= 12, head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    let size = head[..<4].reduce(0) { $0 << 8 | Int($1) }
    var brands = [String(decoding: head[8..<12], as: UTF8.self)]
    for start in stride(from: 16, to: min(size, head.count) - 3, by: 4) {
      brands.append(String(decoding: head[start..<start + 4], as: UTF8.self))
    }
    let known = brands.compactMap(format(ofBrand:))
    // `mif1` and `msf1` say only "an image": what else is named decides.
    return known.first ?? (brands.contains { $0 == "mif1" || $0 == "msf1" } ? .heic : nil)
  }

  private static func format(ofBrand brand: String) -> ImageFormat? {
    switch brand {
    case "avif", "avis": .avif
    case "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs": .heic
    default: nil
    }
  }

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
