/// A codec that can take what describes an image out of its files, or put it in.
protocol MetadataEditing {
  /// Returns a file with the same samples and timing, and without what describes them: profiles,
  /// EXIF, comments; `nil` for a damaged file.
  func withoutMetadata(_ bytes: UnsafeRawBufferPointer) -> [UInt8]?

  /// Reads what describes an image.
  func metadata(of bytes: UnsafeRawBufferPointer) -> ImageMetadata

  /// Puts EXIF into a file without it that the project has written; the file as it is where the
  /// format has no place for it.
  func adding(exif: [UInt8], to file: [UInt8]) -> [UInt8]
}

extension MetadataEditing {
  func metadata(of bytes: UnsafeRawBufferPointer) -> ImageMetadata { ImageMetadata() }
  func adding(exif: [UInt8], to file: [UInt8]) -> [UInt8] { file }
}

/// What a file says of an image besides its samples.
struct ImageMetadata {
  /// A TIFF file without pixels. Source: CIPA DC-008 (Exif 2.32).
  var exif: [UInt8] = []
  /// Data sets. Source: IPTC-NAA Information Interchange Model 4.
  var iptc: [UInt8] = []

  private enum Tag: UInt16 {
    case orientation = 0x0112
    case artist = 0x013B
    case copyright = 0x8298
  }

  /// Longer texts are not kept.
  private static let maximumTextByteCount = 2000
  /// What fits into a segment of a JPEG.
  private static let maximumByteCount = 65_000

  /// Returns the EXIF of a thumbnail, whose orientation is upright; `nil` for none.
  func exif(_ treatment: MetadataTreatment) -> [UInt8]? {
    switch treatment {
    case .drop: return nil
    case .all where !exif.isEmpty && exif.count <= Self.maximumByteCount: return upright
    case .all, .copyright:
      let artist = text(.artist) ?? iptcText(80)
      let copyright = text(.copyright) ?? iptcText(116)
      return Self.exif([(.artist, artist), (.copyright, copyright)])
    }
  }

  /// The entries of the first directory: where each begins, and whether numbers are big-endian.
  private var entries: (offsets: [Int], isBig: Bool) {
    let isBig = exif.starts(with: [0x4D, 0x4D, 0, 42])
    guard isBig || exif.starts(with: [0x49, 0x49, 42, 0]), exif.count >= 14 else {
      return ([], false)
    }
    let start = number(at: 4, 4, isBig)
    guard start <= exif.count - 2 else { return ([], isBig) }
    let offsets = (0..<number(at: start, 2, isBig)).lazy.map { start + 2 + 12 * $0 }
    return (offsets.prefix { $0 + 12 <= exif.count }, isBig)
  }

  private func number(at offset: Int, _ count: Int, _ isBig: Bool) -> Int {
    let bytes = exif[offset..<offset + count]
    return (isBig ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | Int($1) }
  }

  private func text(_ tag: Tag) -> [UInt8]? {
    let (offsets, isBig) = entries
    for at in offsets where number(at: at, 2, isBig) == Int(tag.rawValue) {
      let count = number(at: at + 4, 4, isBig)
      let start = count <= 4 ? at + 8 : number(at: at + 8, 4, isBig)
      guard number(at: at + 2, 2, isBig) == 2, start <= exif.count - min(count, exif.count),
        count <= Self.maximumTextByteCount
      else { return nil }
      return Self.trimmed(exif[start..<start + count])
    }
    return nil
  }

  private func iptcText(_ dataSet: UInt8) -> [UInt8]? {
    var (at, texts): (Int, [[UInt8]]) = (0, [])
    while at + 5 <= iptc.count, iptc[at] == 0x1C {
      let end = at + 5 + (Int(iptc[at + 3]) << 8 | Int(iptc[at + 4]))
      guard end <= iptc.count, iptc[at + 3] < 0x80 else { break }
      if iptc[at + 1] == 2, iptc[at + 2] == dataSet { texts.append(Array(iptc[at + 5..<end])) }
      at = end
    }
    let text: [UInt8] = Array(texts.joined(separator: "; ".utf8))
    return text.count <= Self.maximumTextByteCount ? Self.trimmed(text[...]) : nil
  }

  /// The text without what ends it; `nil` for an empty one.
  private static func trimmed(_ text: ArraySlice<UInt8>) -> [UInt8]? {
    let end = text.lastIndex { $0 != 0 && $0 != 0x20 }
    return end.map { Array(text[...$0]) }
  }

  private static func exif(_ texts: [(tag: Tag, text: [UInt8]?)]) -> [UInt8]? {
    let texts = texts.compactMap { entry in entry.text.map { (entry.tag, $0 + [0]) } }
    guard !texts.isEmpty else { return nil }
    func bytes(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    var directory = bytes(texts.count, 2)
    var values: [UInt8] = []
    for (tag, text) in texts {
      directory += bytes(Int(tag.rawValue), 2) + bytes(2, 2) + bytes(text.count, 4)
      if text.count <= 4 {
        directory += text + [UInt8](repeating: 0, count: 4 - text.count)
      } else {
        directory += bytes(8 + 2 + 12 * texts.count + 4 + values.count, 4)
        values += text.count.isMultiple(of: 2) ? text : text + [0]
      }
    }
    return [0x49, 0x49, 42, 0] + bytes(8, 4) + directory + bytes(0, 4) + values
  }

  /// The EXIF with an orientation of 1.
  private var upright: [UInt8] {
    var result = exif
    let (offsets, isBig) = entries
    for at in offsets where number(at: at, 2, isBig) == Int(Tag.orientation.rawValue) {
      // Its type, the count and the value.
      let entry: [UInt8] = isBig ? [0, 3, 0, 0, 0, 1, 0, 1] : [3, 0, 1, 0, 0, 0, 1, 0]
      result.replaceSubrange(at + 2..<at + 10, with: entry)
    }
    return result
  }
}

/// What a thumbnail keeps of what its original says of itself, in EXIF. A GIF has none.
public enum MetadataTreatment: String, Sendable, CaseIterable, Codable {
  /// Nothing.
  case drop
  /// Author and copyright, of EXIF or else of IPTC.
  case copyright
  /// All of EXIF, which may tell where a photo was taken; without it as ``copyright``.
  case all
}
