import PixelDrawing
import Testing

@testable import ImageCodecs
@testable import ImageModel

@Suite struct `Dot font` {
  static let printable = (0x20...0x7E).compactMap(Unicode.Scalar.init)

  @Test func `all printable ASCII characters exist and differ`() {
    let rows = Self.printable.map { scalar in
      var rows = DotFont.rows(of: scalar)
      while rows.last == 0 { rows.removeLast() }
      return rows
    }

    #expect(Self.printable.allSatisfy { DotFont.covers(String($0)) })
    #expect(Set(rows).count == Self.printable.count)
    #expect(rows.allSatisfy { $0.count <= DotFont.ascent + DotFont.descent })
    #expect(rows.joined().allSatisfy { $0 < 32 })
  }

  @Test func `an unknown character is drawn as a box`() {
    #expect(!DotFont.covers("知"))
    #expect(DotFont.rows(of: "知") == DotFont.rows(of: "乎"))
  }

  @Test func `a text is drawn at its position, and nothing beyond the edges`() {
    var picture = PixelBuffer(PixelSize(width: 20, height: 12), filledWith: .white)

    picture.write("I.", left: 1, top: 2, color: .black)
    picture.write("WWWWWW", left: -3, top: -2, dot: 3, color: PixelColor(red: 9, green: 9, blue: 9))
    picture.write("W", left: 18, top: 10, color: .black)

    #expect(picture[3, 5] != [255, 255, 255, 255])
    #expect(picture.bytes.count == 960)
  }

  @Test func `dots have the requested size`() {
    var small = PixelBuffer(PixelSize(width: 6, height: 9), filledWith: .white)
    var large = PixelBuffer(PixelSize(width: 12, height: 18), filledWith: .white)

    small.write("g", left: 0, top: 0, color: .black)
    large.write("g", left: 0, top: 0, dot: 2, color: .black)

    for y in 0..<18 {
      for x in 0..<12 { #expect(large[x, y] == small[x / 2, y / 2]) }
    }
  }
}
