extension GIFCodec: MetadataEditing {
  func withoutMetadata(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    func tableLength(_ flags: UInt8) -> Int { flags & 0x80 == 0 ? 0 : 6 << (flags & 7) }
    guard bytes.count > 13 else { return nil }
    var at = 13 + tableLength(bytes[10])
    var kept = [UInt8](bytes.prefix(at))
    while at + 10 < bytes.count {
      let start = at
      var isKept = true
      switch bytes[at] {
      case 0x21:
        let label = bytes[at + 1]
        // Of applications, the number of plays alone.
        let isLoop = bytes[(at + 3)...].starts(with: "NETSCAPE2.0".utf8)
        isKept = label == 0xf9 || label == 0xff && isLoop
        at += 2
      case 0x2c: at += 11 + tableLength(bytes[at + 9])
      default: return bytes[at] == 0x3b ? kept + [0x3b] : nil
      }
      while at < bytes.count, bytes[at] != 0 { at += 1 + Int(bytes[at]) }
      at += 1
      guard at <= bytes.count else { return nil }
      if isKept { kept += bytes[start..<at] }
    }
    return at < bytes.count && bytes[at] == 0x3b ? kept + [0x3b] : nil
  }
}
