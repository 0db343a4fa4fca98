import Testing

@testable import imgcache

@Suite struct `The text of a file name` {
  private static let names: [[UInt8]] = [
    [], Array("照片 é.jpg".utf8), [0x63, 0xE9, 0x2E], [0xFF, 0xFE], [0xE7, 0x85], [0xED, 0xA0, 0x80],
    [0xF4, 0x8F, 0xBF, 0xA9], [0xF4, 0x8F, 0xBB, 0xBF], [0xC3, 0xA9, 0xC3],
  ]

  @Test func `has exactly the bytes of the name, and each name has its own`() {
    for name in Self.names {
      let bytes = String(fileName: name).fileName
      #expect(bytes.map(UInt8.init(bitPattern:)) == name + [0])
    }
    #expect(Set(Self.names.map { String(fileName: $0) }).count == Self.names.count)
  }

  @Test(arguments: ["", "a.jpg", "照片 é.jpg", "\u{10FFFD}\u{10FEFF}", "😀"])
  func `is the name itself where that is UTF-8`(name: String) {
    let isPrivate = name.unicodeScalars.contains { $0.value >= 0x10FF80 }

    #expect((String(fileName: Array(name.utf8)) == name) == !isPrivate)
    #expect(name.isRawFileName == isPrivate)
  }

  @Test func `is written with a replacement for each byte that is not UTF-8`() {
    #expect(String(fileName: [0x63, 0xE9, 0x2E, 0xFF]).withoutRawBytes == "c\u{FFFD}.\u{FFFD}")
    #expect("😀 é".withoutRawBytes == "😀 é")
  }
}
