import HTTPCaching
import NIOCore

/// A body in memory, in the form that it is sent from.
struct BufferBody: StoredBody {
  let buffer: ByteBuffer

  /// Copies bytes: the buffer that they were received in may have twice the room.
  init(_ bytes: ByteBuffer) { buffer = ByteBuffer(bytes: bytes.readableBytesView) }

  var byteCount: Int { buffer.readableBytes }
  /// The bytes that it takes.
  var cost: Int { buffer.storageCapacity }

  func read(at offset: Int, count: Int) -> [UInt8] { buffer.bytes(at: offset, count: count) }
}

extension ByteBuffer {
  /// At most `count` bytes from an offset on; fewer only at the end.
  func bytes(at offset: Int, count: Int) -> [UInt8] {
    let start = min(offset, readableBytes)
    return getBytes(at: readerIndex + start, length: min(count, readableBytes - start)) ?? []
  }
}
