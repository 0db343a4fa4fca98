import ImageCodecs
public import ImageModel
import TextEncodings

/// Writes pixels as the bytes that make a terminal show them.
public struct ImageWriter: Sendable {
  /// The terminal to write for.
  public let profile: TerminalProfile

  /// Creates a writer for a terminal.
  public init(_ profile: TerminalProfile) { self.profile = profile }

  /// Returns the bytes that draw an image, scaled to the layout's pixels, at the cursor, which may
  /// end up anywhere on it. With kitty it replaces the image of the identifier; see
  /// ``KittyGraphics``.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for an image without pixels.
  public func bytes(
    _ image: PixelBuffer, _ layout: ImageLayout, id: UInt32? = nil
  ) throws(ImageError) -> [UInt8] {
    let shown = profile.depth == .none && profile.method != .blocks ? image.gray() : image
    switch profile.method {
    case .kitty:
      let png = try ImageCodecs.encodePNG(shown, options: EncodingOptions(level: 1))
      return KittyGraphics.bytes(png: png, id: id, rows: profile.cell == nil ? layout.rows : nil)
    case .sixel:
      let solid = shown.withoutHalfTones(over: profile.background)
      let sixels = try Sixel.bytes(solid)
      // The previous frame would show through.
      return id != nil && !solid.isOpaque ? Array("\u{1B}[J".utf8) + sixels : sixels
    case .blocks:
      let lines = HalfBlocks(depth: profile.depth, background: profile.background).lines(shown)
      return Array(lines.joined(separator: [0x0D, 0x0A]))
    }
  }
}

/// Writes an image as sequences of the kitty graphics protocol.
public enum KittyGraphics {
  /// The most Base64 characters of one sequence.
  static let chunkByteCount = 4096

  /// Returns the bytes that draw an image at the cursor, which stays, in place of the one with the
  /// identifier, scaled to the rows of cells. They suppress the terminal's reply.
  static func bytes(png: [UInt8], id: UInt32? = nil, rows: Int? = nil) -> [UInt8] {
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
  public static func deletion(of id: UInt32) -> [UInt8] {
    Array("\u{1B}_Ga=d,d=I,i=\(id),q=2\u{1B}\\".utf8)
  }
}
