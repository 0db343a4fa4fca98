import NIOCore

@testable import RedisClustering

/// Replies are the same in one piece as in several, and a command that is sent is the array of its
/// arguments. The first byte of the input is the length of the pieces.
enum ReplyTarget {
  private static let maximumByteCount = 1 << 16

  static func check(_ bytes: [UInt8]) throws(FuzzFailure) {
    guard let first = bytes.first else { return }
    let rest = bytes[1...]
    let (whole, fault) = try read(rest, pieces: max(1, rest.count))
    let (cut, otherFault) = try read(rest, pieces: Int(first) + 1)
    try require(whole == cut, "\(whole)\nor in pieces \(cut)")
    try require(fault == otherFault, "\(fault ?? "fine"), or in pieces \(otherFault ?? "fine")")

    let arguments = rest.split(separator: first, omittingEmptySubsequences: false)
      .prefix(64).map { RedisCommand.Argument(ByteBuffer(bytes: $0)) }
    var buffers: [ByteBuffer] = []
    RedisCommand("GET", arguments).encode(into: &buffers)
    let sent = buffers.flatMap { Array($0.readableBytesView) }
    let (read, error) = try read(sent[...], pieces: max(1, sent.count))
    let expected = RedisValue.array(
      [.bytes(ByteBuffer(string: "GET"))] + arguments.map { .bytes($0.bytes) })
    try require(
      sent.count > maximumByteCount || (read == [expected] && error == nil),
      "\(expected) was sent as \(read), \(error ?? "fine")")
  }

  private static func read(
    _ bytes: ArraySlice<UInt8>, pieces: Int
  ) throws(FuzzFailure) -> ([RedisValue], String?) {
    var parser = ReplyParser(maximumByteCount: maximumByteCount)
    var values: [RedisValue] = []
    for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: pieces) {
      parser.append(ByteBuffer(bytes: bytes[start..<min(bytes.endIndex, start + pieces)]))
      do {
        while let value = try parser.next() { values.append(value) }
      } catch {
        return (values, error.reason)
      }
      try require(
        parser.buffer.storageCapacity <= 4 * (maximumByteCount + pieces),
        "\(parser.buffer.storageCapacity) bytes are held")
    }
    return (values, nil)
  }
}
