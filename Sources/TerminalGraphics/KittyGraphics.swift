import ImagePipeline
import TextEncodings

/// Writes an image as sequences of the kitty graphics protocol.
package enum KittyGraphics {
  /// The most Base64 characters of one sequence.
  static let chunkByteCount = 4096

  /// Returns the bytes that draw an image at the cursor, which stays. They suppress the terminal's
  /// reply.
  ///
  /// - Parameters:
  ///   - png: The image as a PNG.
  ///   - id: An image replaces the previous one with its identifier; `nil` replaces none.
  ///   - rows: The rows of cells to scale it to; `nil` keeps its pixels.
  package static func bytes(png: [UInt8], id: UInt32? = nil, rows: Int? = nil) -> [UInt8] {
    let text = Array(Base64.encoded(png).utf8)
    var control = "a=T,f=100,q=2,C=1"
    if let id { control += ",i=\(id),p=1" }
    if let rows { control += ",r=\(rows)" }
    var out: [UInt8] = []
    out.reserveCapacity(text.count + text.count / 256 + 128)
    for start in stride(from: 0, to: max(1, text.count), by: chunkByteCount) {
      let end = min(start + chunkByteCount, text.count)
      let head = (start == 0 ? control : "q=2") + ",m=\(end < text.count ? 1 : 0)"
      out += Array("\u{1B}_G\(head);".utf8) + text[start..<end] + [0x1B, 0x5C]
    }
    return out
  }

  /// Removes the image with an identifier.
  package static func deletion(of id: UInt32) -> [UInt8] {
    Array("\u{1B}_Ga=d,d=I,i=\(id),q=2\u{1B}\\".utf8)
  }
}
