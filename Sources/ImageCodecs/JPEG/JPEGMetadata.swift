extension JPEGCodec: MetadataEditing {
  func withoutMetadata(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard bytes.starts(with: [0xff, 0xd8]) else { return nil }
    var (kept, at): ([UInt8], Int) = ([0xff, 0xd8], 2)
    while at + 4 <= bytes.count, bytes[at] == 0xff {
      let marker = bytes[at + 1]
      if marker == 0xff {
        at += 1
        continue
      }
      let end = at + 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
      guard end <= bytes.count else { return nil }
      let segment = bytes[at..<end]
      switch marker {
      case 0xe0 where !segment.dropFirst(4).starts(with: "JFIF".utf8): break
      case 0xe1...0xed, 0xef, 0xfe: break
      // Of the ways to code samples browsers know three.
      case 0xc3, 0xc5...0xc7, 0xc9...0xcb, 0xcd...0xcf: return nil
      default: kept += segment
      }
      at = end
      guard marker == 0xda else { continue }
      // A scan, up to a marker that does not belong to it.
      while at + 1 < bytes.count,
        bytes[at] != 0xff || bytes[at + 1] == 0 || (0xd0...0xd7).contains(bytes[at + 1])
      {
        at += 1
      }
      guard at + 1 < bytes.count else { return nil }
      kept += bytes[end..<at]
      if bytes[at + 1] == 0xd9 { return kept + [0xff, 0xd9] }
    }
    return nil
  }

  func metadata(of bytes: UnsafeRawBufferPointer) -> ImageMetadata {
    var metadata = ImageMetadata()
    var at = 2
    while at + 4 <= bytes.count, bytes[at] == 0xff, bytes[at + 1] != 0xda, bytes[at + 1] != 0xd9 {
      let marker = bytes[at + 1]
      if marker == 0xff {
        at += 1
        continue
      }
      let end = at + 2 + (Int(bytes[at + 2]) << 8 | Int(bytes[at + 3]))
      guard end <= bytes.count, end > at + 3 else { break }
      let segment = bytes[at + 4..<end]
      if marker == 0xe1, metadata.exif.isEmpty, segment.starts(with: "Exif\0\0".utf8) {
        metadata.exif = Array(segment.dropFirst(6))
      } else if marker == 0xed, segment.starts(with: "Photoshop 3.0\0".utf8) {
        metadata.iptc += Self.iptc(of: Array(segment.dropFirst(14)))
      }
      at = end
    }
    return metadata
  }

  /// The resource of IPTC among those of Photoshop, each with a name and a length.
  private static func iptc(of resources: [UInt8]) -> ArraySlice<UInt8> {
    var at = 0
    while at + 12 <= resources.count, resources[at...].starts(with: "8BIM".utf8) {
      let start = at + 6 + (Int(resources[at + 6]) + 2) / 2 * 2 + 4
      guard start <= resources.count else { break }
      let count = resources[start - 4..<start].reduce(0) { $0 << 8 | Int($1) }
      guard count <= resources.count - start else { break }
      if resources[at + 4] == 4, resources[at + 5] == 4 { return resources[start..<start + count] }
      at = start + (count + 1) / 2 * 2
    }
    return []
  }

  func adding(exif: [UInt8], to file: [UInt8]) -> [UInt8] {
    let count = exif.count + 8
    // Behind the segment of JFIF, which comes first.
    let hasJFIF = file.count > 6 && file[3] == 0xe0
    let at = hasJFIF ? 4 + (Int(file[4]) << 8 | Int(file[5])) : 2
    guard count <= 0xffff, at <= file.count else { return file }
    return file[..<at] + [0xff, 0xe1, UInt8(count >> 8), UInt8(count & 255)] + "Exif\0\0".utf8
      + exif
      + file[at...]
  }
}
