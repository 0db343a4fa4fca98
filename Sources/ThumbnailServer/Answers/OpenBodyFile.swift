import Hummingbird
import ImagePipeline
import NIOCore

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// An open file of the cache: it can be read to its end even if it is evicted meanwhile.
final class OpenBodyFile: Sendable {
  private let descriptor: Int32

  /// - Throws: ``ImageError`` with code `fileUnreadable`.
  init(path: String) throws {
    descriptor = BlobFile.open(path)
    guard descriptor >= 0 else {
      throw ImageError(.fileUnreadable, "cannot open \(path): it may have been evicted")
    }
  }

  deinit { close(descriptor) }

  /// Writes a part of it in pieces that fit a socket's buffer, so that a slow client costs no
  /// memory.
  func write(
    _ range: Range<Int>, to writer: inout any ResponseBodyWriter, executor: BlockingExecutor
  ) async throws {
    var rest = range
    while !rest.isEmpty {
      let (offset, count) = (rest.lowerBound, min(rest.count, 64 << 10))
      let piece = try await executor.run { [self] in try read(count, at: offset) }
      try await writer.write(piece)
      rest = offset + piece.readableBytes..<range.upperBound
    }
  }

  private func read(_ count: Int, at offset: Int) throws -> ByteBuffer {
    var buffer = ByteBufferAllocator().buffer(capacity: count)
    let read = buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
      max(0, pread(descriptor, room.baseAddress, count, off_t(offset)))
    }
    guard read > 0 else {
      throw ImageError(.fileUnreadable, "a cached file is shorter than its record")
    }
    return buffer
  }
}
