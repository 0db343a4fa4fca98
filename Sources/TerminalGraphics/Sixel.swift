import ImageCodecs
import ImageModel

/// Writes an image as sixels: strips of six rows, one pass over each for every color in it.
enum Sixel {
  /// Pixels whose alpha is below 128 are left unchanged.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for an image without pixels.
  static func bytes(_ image: PixelBuffer) throws(ImageError) -> [UInt8] {
    let indexed = try IndexedImage(reducing: image)
    var out = Array("\u{1B}P0;1;0q\"1;1;\(indexed.size.width);\(indexed.size.height)".utf8)
    for (number, color) in indexed.palette.enumerated() {
      let shares = [color.red, color.green, color.blue].map { "\((Int($0) * 100 + 127) / 255)" }
      out += Array("#\(number);2;\(shares.joined(separator: ";"))".utf8)
    }
    var strip = Strip(width: indexed.size.width)
    for top in stride(from: 0, to: indexed.size.height, by: 6) {
      if top > 0 { out.append(UInt8(ascii: "-")) }
      strip.fill(from: indexed, top: top)
      strip.write(to: &out)
    }
    return out + [0x1B, 0x5C]
  }

  /// Six rows: for each color in them, which of the six have it in each column.
  private struct Strip {
    private let width: Int
    /// `256 × width` sets of six bits.
    private var bits: [UInt8]
    /// The colors in the strip, with the first and the last column of each.
    private var used: [(color: Int, first: Int, last: Int)] = []

    init(width: Int) {
      self.width = width
      bits = Array(repeating: 0, count: 256 * width)
    }

    mutating func fill(from image: IndexedImage, top: Int) {
      used.removeAll(keepingCapacity: true)
      var places = Array(repeating: -1, count: 256)
      for row in 0..<min(6, image.size.height - top) {
        let start = (top + row) * width
        for column in 0..<width {
          let index = image.indices[start + column]
          guard index != IndexedImage.transparent else { continue }
          let color = Int(index)
          bits[color * width + column] |= 1 << UInt8(row)
          if places[color] < 0 {
            places[color] = used.count
            used.append((color, column, column))
          } else {
            let place = places[color]
            used[place].first = min(used[place].first, column)
            used[place].last = max(used[place].last, column)
          }
        }
      }
    }

    mutating func write(to out: inout [UInt8]) {
      for (number, entry) in used.enumerated() {
        if number > 0 { out.append(UInt8(ascii: "$")) }
        out += Array("#\(entry.color)".utf8)
        Self.run(of: 0, entry.first, to: &out)
        var column = entry.first
        while column <= entry.last {
          let value = bits[entry.color * width + column]
          var end = column
          while end <= entry.last, bits[entry.color * width + end] == value {
            bits[entry.color * width + end] = 0
            end += 1
          }
          Self.run(of: value, end - column, to: &out)
          column = end
        }
      }
    }

    private static func run(of value: UInt8, _ count: Int, to out: inout [UInt8]) {
      guard count > 0 else { return }
      let sign = value + 0x3F
      if count > 3 {
        out += Array("!\(count)".utf8)
        out.append(sign)
      } else {
        for _ in 0..<count { out.append(sign) }
      }
    }
  }
}
