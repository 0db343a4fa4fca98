/// How much of an image must hold before it counts as whole.
public enum ImageCheck: String, Sendable, CaseIterable, Codable {
  /// Every pixel of every frame decodes.
  case decode
  /// Header, markers, chunks or blocks up to the end of the file; no pixel is decoded.
  case structure
  /// Nothing is looked at.
  case none
}
