#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Processor time of the calling thread: work done, whatever else the machine does.
enum ThreadTime {
  /// Microseconds since the thread began.
  static func now() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }
}
