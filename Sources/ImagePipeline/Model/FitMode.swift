/// How a picture is made to fit a box of another shape. Only ``inside`` and ``contain`` show all of it undistorted.
public enum FitMode: String, Sendable, CaseIterable, Codable {
  /// Fills the box; what sticks out is cropped, the same amount on both sides.
  case cover
  /// Lies whole within the box; the rest of the box is padded.
  case contain
  /// Fills the box; the picture is stretched to its shape.
  case fill
  /// Lies whole within the box; the result is as large as the picture then is.
  case inside
}
