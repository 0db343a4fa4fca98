import ImageModel

/// The brands of an ISO base media file, which distinguish AVIF from HEIC.
///
/// Sources: ISO/IEC 14496-12, 4.3; ISO/IEC 23008-12, 10; AV1 Image File Format, 6.
enum MediaBrands {
  /// The format that the brands of the first box name, the major one before the compatible ones.
  static func format(of head: [UInt8]) -> ImageFormat? {
    guard let brands = brands(of: head) else { return nil }
    // `mif1` and `msf1` say only "an image": what else is named decides.
    return brands.lazy.compactMap(format(ofBrand:)).first
      ?? (isGeneral(brands) && !isTruncated(head) ? .heic : nil)
  }

  static func recognition(of head: RawSpan, as format: ImageFormat) -> ImageRecognition {
    let bytes = head.withUnsafeBytes { [UInt8]($0) }
    if Self.format(of: bytes) == format { return .yes }
    return couldBegin(with: bytes) ? .undecided : .no
  }

  /// Whether bytes too few to identify a format could begin such a file.
  private static func couldBegin(with head: [UInt8]) -> Bool {
    guard let brands = brands(of: head) else {
      return head.count < 12 && head.prefix(3).allSatisfy { $0 == 0 }
        && zip(head.dropFirst(4), "ftyp".utf8).allSatisfy(==)
    }
    return isGeneral(brands) && isTruncated(head)
  }

  private static func isGeneral(_ brands: [String]) -> Bool {
    brands.contains { $0 == "mif1" || $0 == "msf1" }
  }

  /// Whether more brands may follow.
  private static func isTruncated(_ head: [UInt8]) -> Bool {
    head.count < min(size(of: head), ImageFormat.sniffedByteCount)
  }

  private static func size(of head: [UInt8]) -> Int {
    head.prefix(4).reduce(0) { $0 << 8 | Int($1) }
  }

  /// The brands of the first box; `nil` where it is another box, or not even the first is there.
  private static func brands(of head: [UInt8]) -> [String]? {
    guard head.count >= 12, head[4..<8].elementsEqual("ftyp".utf8) else { return nil }
    let size = size(of: head)
    var brands = [String(decoding: head[8..<12], as: UTF8.self)]
    for start in stride(from: 16, to: min(size, head.count) - 3, by: 4) {
      brands.append(String(decoding: head[start..<start + 4], as: UTF8.self))
    }
    return brands
  }

  private static func format(ofBrand brand: String) -> ImageFormat? {
    switch brand {
    case "avif", "avis": .avif
    case "heic", "heix", "hevc", "hevx", "heim", "heis", "hevm", "hevs": .heic
    default: nil
    }
  }
}
