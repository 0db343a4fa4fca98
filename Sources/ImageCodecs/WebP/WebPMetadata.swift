import ImageModel

extension WebPCodec: MetadataEditing {
  func withoutMetadata(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var kept = [UInt8](bytes.prefix(12))
    let isWhole = Self.chunks(of: bytes) { type, chunk in
      guard !["ICCP", "EXIF", "XMP "].contains(type) else { return }
      kept += chunk
      // The flags of those three.
      if type == "VP8X" { kept[kept.count - chunk.count + 8] &= 0b1101_0011 }
    }
    return isWhole ? Self.sized(kept) : nil
  }

  func metadata(of bytes: UnsafeRawBufferPointer) -> ImageMetadata {
    var metadata = ImageMetadata()
    _ = Self.chunks(of: bytes) { type, chunk in
      guard type == "EXIF" else { return }
      let content = Array(chunk.dropFirst(8))
      // Some writers begin it as in a JPEG.
      metadata.exif = content.starts(with: "Exif\0\0".utf8) ? Array(content.dropFirst(6)) : content
    }
    return metadata
  }

  /// Visits the chunks, with their headers; returns whether the file is whole.
  private static func chunks(
    of bytes: UnsafeRawBufferPointer, _ body: (String, Slice<UnsafeRawBufferPointer>) -> Void
  ) -> Bool {
    func number(at offset: Int) -> Int {
      Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)))
    }
    guard bytes.count >= 12, number(at: 4) + 8 <= bytes.count else { return false }
    var at = 12
    while at + 8 <= number(at: 4) + 8 {
      let next = at + 8 + (number(at: at + 4) + 1) / 2 * 2
      guard next <= bytes.count else { return false }
      body(String(decoding: bytes[at..<at + 4], as: UTF8.self), bytes[at..<next])
      at = next
    }
    return true
  }

  private static func sized(_ file: [UInt8]) -> [UInt8] {
    var file = file
    for index in 0..<4 {
      file[4 + index] = UInt8(truncatingIfNeeded: (file.count - 8) >> (8 * index))
    }
    return file
  }

  func adding(exif: [UInt8], to file: [UInt8]) -> [UInt8] {
    var file = file
    guard file.count > 30 else { return file }
    if !file[12...].starts(with: "VP8X".utf8) {
      // The first chunk says how large the image is, and a lossless one whether it has alpha.
      guard
        let info = try? info(of: file.span.bytes, check: .none, limits: ImageLimits())
      else { return file }
      let hasAlpha = file[15] == UInt8(ascii: "L") && file[24] & 0x10 != 0
      func sides(_ side: Int) -> [UInt8] {
        (0..<3).map { UInt8(truncatingIfNeeded: (side - 1) >> (8 * $0)) }
      }
      let header: [UInt8] =
        Array("VP8X".utf8) + [10, 0, 0, 0, hasAlpha ? 0x10 : 0, 0, 0, 0] + sides(info.size.width)
        + sides(info.size.height)
      file.insert(contentsOf: header, at: 12)
    }
    file[20] |= 0x08
    let count = (0..<4).map { UInt8(truncatingIfNeeded: exif.count >> (8 * $0)) }
    file += Array("EXIF".utf8) + count + exif + (exif.count.isMultiple(of: 2) ? [] : [0])
    return Self.sized(file)
  }
}
