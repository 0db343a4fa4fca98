import ImagePipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A folder that frames are written to as `00000.png`, `00001.png`, …
struct FrameFolder {
  /// How a frame is written.
  enum Format: String, CaseIterable {
    case png
    /// Raw RGBA8, straight alpha, row after row.
    case rgba
  }

  let path: String
  let format: Format

  /// Makes the folder if it is not there; its parent must be.
  init(_ path: String, format: Format) throws(ImageError) {
    self.path = path
    self.format = format
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
      throw Self.failure("make the folder \(path)")
    }
  }

  /// Writes one frame.
  ///
  /// - Returns: The name of the file inside the folder.
  func write(_ pixels: PixelBuffer, index: Int) throws(ImageError) -> String {
    let digits = String(index)
    let name =
      String(repeating: "0", count: max(0, 5 - digits.count)) + digits + "." + format.rawValue
    let file = path + "/" + name
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.failure("write \(file)") }
    defer { close(descriptor) }
    switch format {
    case .png:
      try ImageCodecs.writePNG(pixels, to: descriptor, options: PNGEncodingOptions(level: 1))
    case .rgba:
      guard Self.writeAll(pixels.bytes, to: descriptor) else { throw Self.failure("write \(file)") }
    }
    return name
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    bytes.withUnsafeBytes { raw in
      var at = 0
      while at < raw.count {
        #if canImport(Glibc)
          let count = Glibc.write(descriptor, raw.baseAddress?.advanced(by: at), raw.count - at)
        #else
          let count = Darwin.write(descriptor, raw.baseAddress?.advanced(by: at), raw.count - at)
        #endif
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return false }
        at += count
      }
      return true
    }
  }

  private static func failure(_ what: String) -> ImageError {
    ImageError(writing: "cannot \(what)", errno: errno)
  }
}
