/// How samples are weighed when a picture is scaled.
public enum ResamplingFilter: String, Sendable, CaseIterable, Codable {
  /// Lanczos with three lobes: sharp. Source: Turkowski, "Filters for Common Resampling Tasks", 1990.
  case lanczos3
  /// The mean of the area under each pixel: softer, without halos.
  case area
}
