import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A picture as sequences of the kitty graphics protocol.
package enum KittyGraphics {
  /// No sequence carries more of the picture.
  static let chunkByteCount = 4096

  /// Draws a picture at the cursor, which stays. The terminal is told not to answer.
  ///
  /// - Parameters:
  ///   - png: The picture as the bytes of a PNG.
  ///   - id: A picture with a number takes the place of the last one with it; `nil` is a picture of its own.
  ///   - rows: The cells that it is scaled to; `nil` leaves its pixels as they are.
  package static func bytes(png: [UInt8], id: UInt32? = nil, rows: Int? = nil) -> [UInt8] {
    let text = Array(Data(png).base64EncodedString().utf8)
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

  /// Takes the picture with a number away.
  package static func deletion(of id: UInt32) -> [UInt8] {
    Array("\u{1B}_Ga=d,d=I,i=\(id),q=2\u{1B}\\".utf8)
  }
}
