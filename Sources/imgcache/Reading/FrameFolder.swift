import ImageCodecs
import ImageModel

/// A folder that frames are written to as `00000.png`, `00001.png`, …
struct FrameFolder {
  enum Format: String, CaseIterable {
    case png
    /// Raw RGBA8, straight alpha, row after row.
    case rgba
  }

  let path: String
  let format: Format

  init(_ path: String, format: Format) throws(ImageError) {
    self.path = path
    self.format = format
    guard mkdir(path, 0o755) == 0 || errno == EEXIST else {
      throw Self.failure("make the folder \(path)")
    }
  }

  func write(_ pixels: PixelBuffer, index: Int) throws(ImageError) -> String {
    let name = "\(index.padded(to: 5)).\(format.rawValue)"
    let file = path + "/" + name
    let descriptor = open(file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard descriptor >= 0 else { throw Self.failure("write \(file)") }
    defer { close(descriptor) }
    do throws(ImageError) {
      switch format {
      case .png:
        try ImageCodecs.writePNG(pixels, to: descriptor, options: EncodingOptions(level: 1))
      case .rgba:
        guard Stream.writeAll(pixels.bytes.span.bytes, to: descriptor) else {
          throw Self.failure("write \(file)")
        }
      }
    } catch {
      // A part of a frame is not taken for one.
      unlink(file)
      throw error
    }
    return name
  }

  private static func failure(_ what: String) -> ImageError {
    ImageError(writing: "cannot \(what)", errno: errno)
  }
}
