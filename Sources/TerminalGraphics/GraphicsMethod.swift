/// A way to put a picture on a terminal.
package enum GraphicsMethod: String, Sendable, CaseIterable {
  /// The kitty graphics protocol: PNG in escape sequences, every pixel and alpha.
  ///
  /// Source: https://sw.kovidgoyal.net/kitty/graphics-protocol/
  case kitty
  /// DEC's sixels: a palette and strips of six rows.
  ///
  /// Source: VT330/VT340 Programmer Reference Manual, volume 2, chapter 14.
  case sixel
  /// The half block `▀`: two pixels a cell, in the colours of text. Every terminal can.
  case blocks
}
