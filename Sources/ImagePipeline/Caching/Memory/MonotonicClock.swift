import CPlatform

/// Time that never goes back, read without a system call.
enum MonotonicClock {
  /// Nanoseconds since some moment, to a few milliseconds.
  static var coarseNanoseconds: UInt64 { imgc_clock_coarse() }

  /// A count that grows with time on all processors alike, in no unit: it tells what came first.
  @inline(__always)
  static var ticks: UInt64 { imgc_clock_ticks() }
}
