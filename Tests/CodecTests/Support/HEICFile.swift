import Foundation

@testable import TestSupport

/// A HEIC put together of boxes (ISO/IEC 23008-12).
struct HEICFile {
  struct Item {
    var type = "hvc1"
    var data: [UInt8]
    /// Boxes.
    var properties: [[UInt8]] = []
    /// Whether the data is in the box `idat`.
    var isInside = false
  }

  /// Their ids count from 1.
  var items: [Item]
  var references: [(type: String, from: Int, to: [Int])] = []
  var primary = 1
  /// Boxes behind those of the items.
  var further: [UInt8] = []

  static func fixture(_ name: String) throws -> [UInt8] {
    let file = SharedFixtures.packageRoot.appending(path: "Tests/Fixtures/heic/\(name).heic")
    return [UInt8](try Data(contentsOf: file))
  }

  /// The picture in `plain.heic`: 64 x 64 pixels, at the upper left the drawing of 48 x 32.
  static func picture() throws -> Item {
    let file = try fixture("plain")
    func content(of type: String) -> [UInt8] {
      let name = Array(type.utf8)
      let at = file.indices.first { file[$0...].starts(with: name) } ?? 4
      let size = file[at - 4..<at].reduce(0) { $0 << 8 | Int($1) }
      return Array(file[at + 4..<at - 4 + size])
    }
    return Item(
      data: content(of: "mdat"), properties: [box("hvcC", content(of: "hvcC")), size(64, 64)])
  }

  static func size(_ width: Int, _ height: Int) -> [UInt8] {
    box("ispe", big(0, width, height))
  }

  /// The aperture of a size, its centre so far from that of the image, in halves.
  static func aperture(_ width: Int, _ height: Int, _ x: Int, _ y: Int) -> [UInt8] {
    box("clap", big(width, 1, height, 1, x, 2, y, 2))
  }

  static func grid(_ rows: Int, _ columns: Int, _ width: Int, _ height: Int) -> [UInt8] {
    [0, 0, UInt8(rows - 1), UInt8(columns - 1)] + big(width << 16 | height)
  }

  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
    big(8 + content.count) + Array(type.utf8) + content
  }

  static func big(_ values: Int...) -> [UInt8] {
    values.flatMap { SamplePNG.bigEndian(UInt32(truncatingIfNeeded: $0)) }
  }

  private static func short(_ value: Int) -> [UInt8] { [UInt8(value >> 8), UInt8(value & 255)] }

  /// The same with the brightness of its first item as its alpha.
  func addingAlpha() -> HEICFile {
    var file = self
    let name = Array("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha\0".utf8)
    var alpha = items[0]
    alpha.properties.append(Self.box("auxC", Self.big(0) + name))
    file.items.append(alpha)
    file.references.append(("auxl", file.items.count, [1]))
    return file
  }

  var bytes: [UInt8] {
    let type = Self.box("ftyp", Array("heic\0\0\0\0mif1heic".utf8))
    let inside = items.filter(\.isInside).flatMap(\.data)
    // The offsets do not change the size of the boxes.
    let start = type.count + meta(inside, dataStart: 0).count + 8
    let data = items.filter { !$0.isInside }.flatMap(\.data)
    return type + meta(inside, dataStart: start) + Self.box("mdat", data)
  }

  private func meta(_ inside: [UInt8], dataStart: Int) -> [UInt8] {
    var (insideEnd, end) = (0, dataStart)
    var locations: [UInt8] = []
    var entries: [UInt8] = []
    var properties: [UInt8] = []
    var uses: [UInt8] = []
    var propertyCount = 0
    for (index, item) in items.enumerated() {
      let offset = item.isInside ? insideEnd : end
      locations += Self.short(index + 1) + Self.short(item.isInside ? 1 : 0) + Self.short(0)
      locations += Self.short(1) + Self.big(offset, item.data.count)
      if item.isInside { insideEnd += item.data.count } else { end += item.data.count }
      entries += Self.box(
        "infe", [2, 0, 0, 0] + Self.short(index + 1) + [0, 0] + Array(item.type.utf8) + [0])
      properties += item.properties.joined()
      uses += Self.short(index + 1) + [UInt8(item.properties.count)]
      uses += item.properties.indices.map { UInt8(propertyCount + $0 + 1) }
      propertyCount += item.properties.count
    }
    let count = Self.short(items.count)
    let links = references.flatMap { reference in
      Self.box(
        reference.type,
        Self.short(reference.from) + Self.short(reference.to.count)
          + reference.to.flatMap(Self.short))
    }
    let handler = Self.big(0, 0) + Array("pict".utf8) + [UInt8](repeating: 0, count: 13)
    return Self.box(
      "meta",
      Self.big(0) + Self.box("hdlr", handler)
        + Self.box("pitm", Self.big(0) + Self.short(primary))
        + Self.box("idat", inside)
        + Self.box("iloc", [1, 0, 0, 0, 0x44, 0] + count + locations)
        + Self.box("iinf", Self.big(0) + count + entries)
        + Self.box(
          "iprp",
          Self.box("ipco", properties)
            + Self.box("ipma", Self.big(0, items.count) + uses))
        + Self.box("iref", Self.big(0) + links) + further)
  }
}
