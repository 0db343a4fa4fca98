extension Duration {
  /// The length in seconds, as `Date` counts.
  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }
}
