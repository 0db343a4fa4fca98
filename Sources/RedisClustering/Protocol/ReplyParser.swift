import NIOCore

/// Takes replies out of bytes that arrive in pieces of any length; each byte is looked at once, but
/// for lines that are cut.
///
/// It bounds what a server can make it keep: the bytes of one reply, its values, and their depth.
/// Data that is not RESP2 ends the connection, since the start of the next reply is then unknown.
struct ReplyParser {
  struct Malformed: Error, Hashable {
    let reason: String
  }

  /// An array that is not whole.
  private struct Level {
    var values: [RedisValue] = []
    var missingCount: Int
  }

  private let maximumByteCount: Int
  private static let maximumDepth = 8
  private static let maximumValueCount = 1 << 20
  /// No line but that of an error has more than a sign and 19 digits; errors are sentences.
  private static let maximumLineByteCount = 64 << 10

  private(set) var buffer = ByteBuffer()
  /// The arrays around the next value, the outermost first.
  private var levels: [Level] = []
  /// Bytes and values of the present reply that were read.
  private var byteCount = 0
  private var valueCount = 0
  /// The length of the string that is read next, whose line was read.
  private var stringByteCount: Int?

  init(maximumByteCount: Int) { self.maximumByteCount = min(maximumByteCount, 1 << 30) }

  mutating func append(_ bytes: ByteBuffer) {
    if buffer.readableBytes == 0 {
      buffer = bytes
    } else {
      var bytes = bytes
      buffer.discardReadBytes()
      buffer.writeBuffer(&bytes)
    }
  }

  /// Removes and returns the first reply; `nil` while it is not whole.
  mutating func next() throws(Malformed) -> RedisValue? {
    while var value = try nextValue() {
      // A value completes the array that it ends, and that one the array around it.
      while true {
        guard let level = levels.indices.last else {
          (byteCount, valueCount) = (0, 0)
          return value
        }
        levels[level].values.append(value)
        levels[level].missingCount -= 1
        guard levels[level].missingCount == 0 else { break }
        value = .array(levels.removeLast().values)
      }
    }
    return nil
  }

  /// Reads up to the end of a value that is not an array, or of an empty one.
  private mutating func nextValue() throws(Malformed) -> RedisValue? {
    while true {
      if let count = stringByteCount {
        guard buffer.readableBytes >= count + 2 else { return nil }
        guard let bytes = buffer.readSlice(length: count),
          buffer.readInteger(as: UInt16.self) == 0x0D0A
        else { throw Malformed(reason: "a string that is longer than it says") }
        stringByteCount = nil
        return .bytes(bytes)
      }
      guard let (mark, line) = try nextLine() else { return nil }
      valueCount += 1
      guard valueCount <= Self.maximumValueCount else {
        throw Malformed(reason: "a reply of more than \(Self.maximumValueCount) values")
      }
      switch mark {
      case 0x2B: return .status(String(buffer: line))
      case 0x2D: return .error(RedisError(line: String(buffer: line)))
      case 0x3A: return .integer(try number(line))
      case 0x24:
        guard let count = try count(line, "a string of", "bytes", maximumByteCount) else {
          return .null
        }
        try add(count + 2)
        stringByteCount = count
      default:
        guard let count = try count(line, "an array of", "values", Self.maximumValueCount) else {
          return .null
        }
        guard levels.count < Self.maximumDepth else {
          throw Malformed(reason: "arrays in arrays, more than \(Self.maximumDepth) deep")
        }
        if count == 0 { return .array([]) }
        levels.append(Level(missingCount: count))
      }
    }
  }

  private mutating func nextLine() throws(Malformed) -> (mark: UInt8, text: ByteBuffer)? {
    let view = buffer.readableBytesView
    guard let mark = view.first else { return nil }
    guard [0x2B, 0x2D, 0x3A, 0x24, 0x2A].contains(mark) else {
      throw Malformed(reason: "a reply that is not Redis protocol (first byte \(mark))")
    }
    guard let end = view.prefix(Self.maximumLineByteCount).firstIndex(of: 0x0D) else {
      guard view.count < Self.maximumLineByteCount else {
        throw Malformed(reason: "a line that does not end")
      }
      return nil
    }
    guard end + 1 < view.endIndex else { return nil }
    guard view[end + 1] == 0x0A else { throw Malformed(reason: "a line that ends in CR alone") }
    let text = buffer.getSlice(at: view.startIndex + 1, length: end - view.startIndex - 1)
    try add(end + 2 - view.startIndex)
    buffer.moveReaderIndex(to: end + 2)
    return (mark, text ?? ByteBuffer())
  }

  private mutating func add(_ count: Int) throws(Malformed) {
    byteCount += count
    guard byteCount <= maximumByteCount else {
      throw Malformed(reason: "a reply of more than \(maximumByteCount) bytes")
    }
  }

  private func number(_ line: ByteBuffer) throws(Malformed) -> Int64 {
    guard let number = Int64(String(buffer: line)) else {
      throw Malformed(reason: "a length or number that is not one")
    }
    return number
  }

  private func count(
    _ line: ByteBuffer, _ what: String, _ unit: String, _ maximum: Int
  ) throws(Malformed) -> Int? {
    let count = try number(line)
    if count == -1 { return nil }
    guard count >= 0, count <= maximum else {
      throw Malformed(reason: "\(what) \(count) \(unit); at most \(maximum) are read")
    }
    return Int(count)
  }
}
