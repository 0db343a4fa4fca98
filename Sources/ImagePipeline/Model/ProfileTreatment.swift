/// What becomes of a picture's embedded ICC profile when it is written anew.
public enum ProfileTreatment: String, Sendable, CaseIterable, Codable {
  /// Left out; the samples stay as they are.
  case drop
  /// Embedded again.
  case keep
  /// Left out after the samples were converted to sRGB.
  case convert
}
