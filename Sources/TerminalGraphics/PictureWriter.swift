import ImagePipeline

/// Turns pixels into the bytes that make one terminal show them, one below the other where they do not fit a line.
package struct PictureWriter: Sendable {
  /// The terminal.
  package let profile: TerminalProfile

  package init(_ profile: TerminalProfile) { self.profile = profile }

  /// The bytes that draw a picture at the cursor, which may end up anywhere on the picture.
  ///
  /// - Parameters:
  ///   - picture: Scaled to the layout's pixels.
  ///   - id: For kitty: what the picture takes the place of; see ``KittyGraphics``.
  /// - Throws: ``ImageError`` with code `invalidArgument` for a picture without pixels.
  package func bytes(
    _ picture: PixelBuffer, _ layout: PictureLayout, id: UInt32? = nil
  ) throws(ImageError) -> [UInt8] {
    let shown = profile.depth == .none && profile.method != .blocks ? picture.gray() : picture
    switch profile.method {
    case .kitty:
      let png = try ImageCodecs.encodePNG(shown, options: PNGEncodingOptions(level: 1))
      return KittyGraphics.bytes(
        png: png, id: id, rows: profile.cell == nil ? layout.rows : nil)
    case .sixel:
      let solid = shown.withoutHalfTones(over: profile.background)
      let sixels = try Sixel.bytes(solid)
      // What a frame before has drawn would show through.
      return id != nil && !solid.isOpaque ? Array("\u{1B}[J".utf8) + sixels : sixels
    case .blocks:
      let lines = HalfBlocks(depth: profile.depth, background: profile.background).lines(shown)
      return Array(lines.joined(separator: [0x0D, 0x0A]))
    }
  }
}
