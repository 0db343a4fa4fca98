extension Duration {
  /// The duration in seconds, as `Date` counts.
  package var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) * 1e-18
  }

  /// Whole nanoseconds; the largest number, or the least, for more than 292 years.
  package var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let whole = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let sum = whole.partialValue.addingReportingOverflow(attoseconds / 1_000_000_000)
    return whole.overflow || sum.overflow ? (seconds < 0 ? .min : .max) : sum.partialValue
  }
}
