extension PNGCodec: MetadataEditing {
  func withoutMetadata(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    var kept = [UInt8](bytes.prefix(8))
    var isWhole = false
    Self.chunks(of: bytes) { type, chunk in
      // Chunks whose names begin with a capital are critical.
      if type.first?.isUppercase == true || type == "tRNS" { kept += chunk }
      isWhole = type == "IEND"
    }
    return isWhole ? kept : nil
  }

  func metadata(of bytes: UnsafeRawBufferPointer) -> ImageMetadata {
    var metadata = ImageMetadata()
    Self.chunks(of: bytes) { type, chunk in
      if type == "eXIf" { metadata.exif = Array(chunk.dropFirst(8).dropLast(4)) }
    }
    return metadata
  }

  /// Visits the chunks, with their frames, up to the end of the image.
  private static func chunks(
    of bytes: UnsafeRawBufferPointer, _ body: (String, Slice<UnsafeRawBufferPointer>) -> Void
  ) {
    var at = 8
    while at + 12 <= bytes.count {
      let length = Int(UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: at, as: UInt32.self)))
      guard length <= bytes.count - at - 12 else { return }
      let type = String(decoding: bytes[at + 4..<at + 8], as: UTF8.self)
      body(type, bytes[at..<at + 12 + length])
      if type == "IEND" { return }
      at += 12 + length
    }
  }

  func adding(exif: [UInt8], to file: [UInt8]) -> [UInt8] {
    // Behind the header of 25 bytes, which comes first.
    guard file.count > 33 else { return file }
    let content = Array("eXIf".utf8) + exif
    func bytes(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian, Array.init) }
    return file[..<33] + bytes(UInt32(exif.count)) + content + bytes(Self.checksum(content))
      + file[33...]
  }

  /// The CRC of a chunk. Source: PNG (Third Edition), annex D.
  private static func checksum(_ bytes: [UInt8]) -> UInt32 {
    var sum: UInt32 = ~0
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : sum >> 1 ^ 0xEDB8_8320 }
    }
    return ~sum
  }
}
