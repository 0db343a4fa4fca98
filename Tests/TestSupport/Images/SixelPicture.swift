/// The drawing of a sixel sequence, decoded by the manual and independently of the writer.
struct SixelPicture {
  private(set) var width = 0
  private(set) var height = 0
  /// 0xRRGGBB in hundredths, by position; an absent position was left alone.
  private(set) var pixels: [[Int]: Int] = [:]
  private(set) var parameters = ""
  private(set) var isSound = true

  /// - Parameter body: The text between the introducer and the terminator.
  init(_ body: String) {
    var rest = Array(body.utf8)[...]
    func number() -> Int {
      var value = 0
      while let digit = rest.first, (48...57).contains(digit) {
        value = value * 10 + Int(digit) - 48
        rest.removeFirst()
      }
      return value
    }
    func numbers() -> [Int] {
      var values = [number()]
      while rest.first == UInt8(ascii: ";") {
        rest.removeFirst()
        values.append(number())
      }
      return values
    }
    while let byte = rest.popFirst(), byte != UInt8(ascii: "q") {
      parameters.unicodeScalars.append(Unicode.Scalar(byte))
    }
    var palette: [Int: Int] = [:]
    var (x, y, color) = (0, 0, 0)
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "\""):
        let values = numbers()
        (width, height) = (values[2], values[3])
      case UInt8(ascii: "#"):
        let values = numbers()
        color = values[0]
        if values.count == 5 {
          isSound = isSound && values[1] == 2 && values[2...].allSatisfy { $0 <= 100 }
          palette[color] = values[2] << 16 | values[3] << 8 | values[4]
        }
      case UInt8(ascii: "$"): x = 0
      case UInt8(ascii: "-"): (x, y) = (0, y + 6)
      default:
        var count = 1
        var sign = byte
        if byte == UInt8(ascii: "!") {
          count = number()
          sign = rest.popFirst() ?? 0
        }
        guard (0x3F...0x7E).contains(sign) else {
          isSound = false
          continue
        }
        for column in x..<x + count {
          for row in 0..<6 where (sign - 0x3F) >> UInt8(row) & 1 == 1 {
            pixels[[column, y + row]] = palette[color] ?? -1
          }
        }
        x += count
      }
    }
  }
}
