import ImagePipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What is piped into the program.
enum StandardInput {
  /// All of it, to the end.
  ///
  /// - Throws: ``ImageError`` with code `tooLarge` beyond 64 MiB, or `fileUnreadable`.
  static func bytes() throws(ImageError) -> [UInt8] {
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = read(STDIN_FILENO, &block, block.count)
      if count == 0 { return bytes }
      if count < 0 {
        guard errno == EINTR else { throw ImageError(.fileUnreadable, "cannot read stdin") }
        continue
      }
      bytes += block[..<count]
      guard bytes.count <= 64 << 20 else {
        throw ImageError(.tooLarge, "stdin holds more than 64 MiB")
      }
    }
  }
}
