import ImagePipeline

/// Writes pixels as the bytes that make a terminal show them.
package struct ImageWriter: Sendable {
  /// The terminal to write for.
  package let profile: TerminalProfile

  package init(_ profile: TerminalProfile) { self.profile = profile }

  /// Returns the bytes that draw an image at the cursor, which may end up anywhere on the image.
  ///
  /// - Parameters:
  ///   - image: An image scaled to the layout's pixels.
  ///   - id: For kitty, the identifier of the image to replace; see ``KittyGraphics``.
  /// - Throws: ``ImageError`` with code `invalidArgument` for an image without pixels.
  package func bytes(
    _ image: PixelBuffer, _ layout: ImageLayout, id: UInt32? = nil
  ) throws(ImageError) -> [UInt8] {
    let shown = profile.depth == .none && profile.method != .blocks ? image.gray() : image
    switch profile.method {
    case .kitty:
      let png = try ImageCodecs.encodePNG(shown, options: PNGEncodingOptions(level: 1))
      return KittyGraphics.bytes(
        png: png, id: id, rows: profile.cell == nil ? layout.rows : nil)
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
