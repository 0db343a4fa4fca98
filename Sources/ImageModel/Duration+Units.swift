extension Duration {
  /// The duration in seconds, as `Date` counts.
  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// Whole nanoseconds; the largest number for more than 292 years.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    return overflow ? .max : product + attoseconds / 1_000_000_000
  }
}
