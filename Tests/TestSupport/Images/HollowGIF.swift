/// GIFs whose frames announce pixels without codes: huge to decode, tiny as files.
enum HollowGIF {
  /// - Parameters:
  ///   - canvas: A side of the canvas.
  ///   - frame: A side of each frame.
  static func bytes(canvas: Int, frame: Int, count: Int) -> [UInt8] {
    func number(_ value: Int) -> [UInt8] { [UInt8(value & 0xFF), UInt8(value >> 8)] }
    var gif = Array("GIF89a".utf8) + number(canvas) + number(canvas) + [0x80, 0, 0]
    gif += [0, 0, 0, 255, 255, 255]
    for _ in 0..<count {
      gif += [0x2C, 0, 0, 0, 0] + number(frame) + number(frame) + [0]
      // Codes of three bits: clear, one pixel, end.
      gif += [2, 2, 0x44, 0x01, 0]
    }
    return gif + [0x3B]
  }
}
