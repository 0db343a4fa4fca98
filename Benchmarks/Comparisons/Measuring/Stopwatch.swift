#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

enum Stopwatch {
  /// The reading of a clock, in nanoseconds since an arbitrary time.
  static func nanoseconds(_ clock: Comparison.Clock) -> Double {
    var time = timespec()
    clock_gettime(clock == .processor ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
