import CZlib
import ImageModel

/// Decompresses gzip (and zlib) streams piece by piece. Several members in a row count as one
/// stream, as in `gzip`.
final class Inflater {
  private var stream = z_stream()
  private let name: String
  private var isBetweenMembers = false

  init(name: String) throws(ImageError) {
    self.name = name
    // 32 makes zlib detect either header.
    let status = inflateInit2_(
      &stream, 15 + 32, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else {
      throw ImageError(.outOfMemory, "out of memory to unpack \(name)")
    }
  }

  deinit { inflateEnd(&stream) }

  func unpack(
    _ input: UnsafeRawBufferPointer, into sink: (UnsafeRawBufferPointer) throws(ImageError) -> Void
  ) throws(ImageError) {
    guard let start = input.baseAddress else { return }
    // zlib does not write to it; its field lacks the word const.
    stream.next_in = UnsafeMutablePointer(mutating: start.assumingMemoryBound(to: UInt8.self))
    stream.avail_in = UInt32(input.count)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { room.deallocate() }
    while stream.avail_in > 0 || stream.avail_out == 0 {
      if isBetweenMembers {
        // Zeros after a member are the padding of a tape.
        while stream.avail_in > 0, stream.next_in?.pointee == 0 {
          stream.next_in += 1
          stream.avail_in -= 1
        }
        guard stream.avail_in > 0 else { return }
        inflateReset(&stream)
        isBetweenMembers = false
      }
      stream.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.avail_out = UInt32(room.count)
      let status = inflate(&stream, Z_NO_FLUSH)
      let count = room.count - Int(stream.avail_out)
      if count > 0 { try sink(UnsafeRawBufferPointer(rebasing: room[..<count])) }
      switch status {
      case Z_OK: continue
      case Z_STREAM_END: isBetweenMembers = true
      case Z_BUF_ERROR: return
      default: throw ImageError(.corrupt, "\(name) is damaged: its data is not valid gzip")
      }
    }
  }

  /// - Throws: ``ImageError`` with code `truncated` when the stream has not ended.
  func finish() throws(ImageError) {
    guard isBetweenMembers else {
      throw ImageError(.truncated, "\(name) ends in the middle of its gzip data")
    }
  }
}
