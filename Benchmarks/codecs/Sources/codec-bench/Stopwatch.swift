import Foundation

/// Processor time of a thread or of the whole process, which neighbours on the machine disturb least.
enum Stopwatch {
  static func processorSeconds(ofThread: Bool) -> Double {
    var time = timespec()
    clock_gettime(ofThread ? CLOCK_THREAD_CPUTIME_ID : CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Seconds by the wall.
  static func wallSeconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
