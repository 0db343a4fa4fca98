#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The metrics of the process, with the names of Prometheus's client libraries.
enum ProcessMetrics {
  /// Writes them; those that the system does not tell are left out.
  static func write(to text: inout PrometheusText) {
    var usage = rusage()
    if getrusage(process, &usage) == 0 {
      text.metric("process_cpu_seconds_total", .counter, "Processor time, in seconds.")
      text.sample(
        "process_cpu_seconds_total", [], seconds(usage.ru_utime) + seconds(usage.ru_stime))
    }
    var limit = rlimit()
    if getrlimit(fileLimit, &limit) == 0, let maximum = Int(exactly: limit.rlim_cur) {
      text.metric("process_max_fds", .gauge, "The maximum number of open files.", maximum)
    }
    #if os(Linux)
      writeLinux(to: &text)
    #endif
  }

  private static func seconds(_ time: timeval) -> Double {
    Double(time.tv_sec) + Double(time.tv_usec) / 1e6
  }

  #if os(Linux)
    private static let process = __rusage_who_t(RUSAGE_SELF.rawValue)
    private static let fileLimit = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    private static func writeLinux(to text: inout PrometheusText) {
      if let count = fileCount {
        text.metric("process_open_fds", .gauge, "Open files.", count)
      }
      // The command in parentheses may have spaces; field 3 follows it (proc_pid_stat(5)).
      guard let stat = contents(of: "/proc/self/stat"), let end = stat.lastIndex(of: ")") else {
        return
      }
      let fields = stat[stat.index(after: end)...].split(separator: " ")
      guard fields.count > 21, let start = Double(fields[19]), let size = Int(fields[20]),
        let pages = Int(fields[21])
      else { return }
      text.metric("process_virtual_memory_bytes", .gauge, "Virtual memory.", size)
      text.metric(
        "process_resident_memory_bytes", .gauge, "Memory in use.",
        pages * sysconf(Int32(_SC_PAGESIZE)))
      text.metric("process_threads", .gauge, "Threads.", Int(fields[17]) ?? 0)
      let uptime = time(CLOCK_BOOTTIME) - start / Double(sysconf(Int32(_SC_CLK_TCK)))
      text.metric("process_start_time_seconds", .gauge, "When the process began, in Unix seconds.")
      text.sample(
        "process_start_time_seconds", [], ((time(CLOCK_REALTIME) - uptime) * 100).rounded() / 100)
    }

    private static func time(_ clock: clockid_t) -> Double {
      var time = timespec()
      clock_gettime(clock, &time)
      return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    private static var fileCount: Int? {
      guard let folder = opendir("/proc/self/fd") else { return nil }
      defer { closedir(folder) }
      // Not the two names of folders, nor the open folder itself.
      var count = -3
      while readdir(folder) != nil { count += 1 }
      return count
    }

    private static func contents(of path: String) -> String? {
      let file = open(path, O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return nil }
      defer { close(file) }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(file, &bytes, bytes.count)
      return count > 0 ? String(decoding: bytes[..<count], as: UTF8.self) : nil
    }
  #else
    private static let process = RUSAGE_SELF
    private static let fileLimit = RLIMIT_NOFILE
  #endif
}
