public import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  public import Darwin
#endif

/// Reads a trace from a file or stdin, compressed by gzip or not.
public enum TraceReader {
  /// Reads all requests of a file, or of stdin, `-`. Without a format it is detected by the name
  /// and the first bytes, ARC's by the name alone. A sample has a share of the keys, chosen by
  /// their hashes (SHARDS: Waldspurger et al., FAST 2015). Times are kept for ``TraceWriter``.
  ///
  /// - Throws: ``ImageError`` with code `fileUnreadable`, `corrupt`, `truncated`, or
  /// `limitExceeded` when the sum of sizes exceeds 1 EiB or there are more than four billion
  /// requests; it names the line or record.
  public static func read(
    _ path: String, format: TraceFormat? = nil, sampleRate: Double = 1,
    keepsTimes: Bool = false
  ) throws(ImageError) -> CacheTrace {
    let isInput = path == "-"
    let descriptor = isInput ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { if !isInput { close(descriptor) } }
    let name = isInput ? "stdin" : TraceFormat.baseName(path)
    var builder = TraceBuilder(
      name: name, path: isInput ? nil : path, sampleRate: sampleRate,
      keepsTimes: keepsTimes)
    let parser = TraceParser(
      name: isInput ? "stdin" : path, format: format, named: TraceFormat(path: path))
    var inflater: Inflater?
    var isFirst = true

    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { room.deallocate() }
    var filled = 0
    while true {
      let count = systemRead(into: room[filled...], from: descriptor)
      guard count >= 0 else { throw unreadable(path) }
      filled += count
      // The magic number takes two bytes, and a pipe may deliver them one by one.
      if count > 0, isFirst, filled < 2 { continue }
      if isFirst, filled >= 2, room[0] == 0x1F, room[1] == 0x8B {
        inflater = try Inflater(name: path)
      }
      isFirst = false
      let bytes = UnsafeRawBufferPointer(rebasing: room[..<filled])
      if let inflater {
        try inflater.unpack(bytes) { bytes throws(ImageError) in try parser.feed(bytes, &builder) }
      } else {
        try parser.feed(bytes, &builder)
      }
      filled = 0
      if builder.count > TraceBuilder.maximumCount {
        throw ImageError(
          .limitExceeded,
          "\(path) has more than four billion requests; take a part with TraceReader.read(sampleRate:)"
        )
      }
      if count == 0 { break }
    }
    try inflater?.finish()
    try parser.finish(&builder)
    return builder.finished()
  }

  private static func unreadable(_ path: String) -> ImageError {
    ImageError(.fileUnreadable, "cannot read the trace \(path)", errno: errno)
  }
}

// Outside the type, whose own method of this name would hide the system's.
private func systemRead(into room: Slice<UnsafeMutableRawBufferPointer>, from descriptor: Int32)
  -> Int
{
  let room = UnsafeMutableRawBufferPointer(rebasing: room)
  while true {
    let count = read(descriptor, room.baseAddress, room.count)
    if count >= 0 || errno != EINTR { return count }
  }
}
