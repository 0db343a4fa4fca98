import DiskCaching
import HTTPCaching
import NIOCore

/// A body in memory, in the form that it is sent from without a copy.
enum MemoryBody: Sendable {
  case buffer(BufferBody)
  /// A long body: the system sends the pages of a file without copying them.
  case file(BodyFile, byteCount: Int)

  /// The least length of a body that is a file.
  private static let fileByteCount = 256 << 10

  /// - Parameter mayUseFile: Whether a long body may take a descriptor.
  init(_ bytes: ByteBuffer, mayUseFile: Bool) {
    if mayUseFile, bytes.readableBytes >= Self.fileByteCount,
      let file = bytes.withUnsafeReadableBytes({ BodyFile(inMemory: $0) })
    {
      self = .file(file, byteCount: bytes.readableBytes)
    } else {
      // The buffer that it was received in may have twice the room.
      self = .buffer(BufferBody(buffer: ByteBuffer(bytes: bytes.readableBytesView)))
    }
  }

  /// The body as the store hands it out.
  var stored: any StoredBody {
    switch self {
    case .buffer(let body): body
    case .file(let file, _): file
    }
  }

  var byteCount: Int {
    switch self {
    case .buffer(let body): body.buffer.readableBytes
    case .file(_, let count): count
    }
  }

  var isFile: Bool { if case .file = self { true } else { false } }

  /// The bytes that it takes.
  var cost: Int {
    switch self {
    case .buffer(let body): body.buffer.storageCapacity
    case .file(_, let count): (count + 4095) & ~4095
    }
  }
}

/// A body in a buffer.
struct BufferBody: StoredBody {
  let buffer: ByteBuffer

  func read(at offset: Int, count: Int) -> [UInt8] {
    let start = min(offset, buffer.readableBytes)
    let count = min(count, buffer.readableBytes - start)
    return buffer.getBytes(at: buffer.readerIndex + start, length: count) ?? []
  }
}
