import ArgumentParser
import HTTPListening
import ImageModel
import Synchronization

/// Returns what SIGHUP does to a running server, one at a time: its configuration file, and the
/// files that its options name, are read again, the access log is opened again, and `apply` takes
/// over the options in `names`. If anything is wrong, it throws before it changes anything, and the
/// former configuration stays in force.
func reloading<Command: ParsableCommand>(
  _ type: Command.Type, naming names: Set<String>, _ report: Report, _ log: LogFile?,
  _ apply: @escaping @Sendable (Command) throws -> Void
) -> @Sendable () -> Void {
  let reader = CommandLineReader.program.withLock { $0 }
  // The command line as it was in force last, and a lock for reloads.
  let inForce = Locked((try? reader?.read().words) ?? [])
  return {
    inForce.withLock { words in
      let environment = Environment.variables
      // The protocol of systemd's Type=notify-reload.
      SocketFile.notify("RELOADING=1\nMONOTONIC_USEC=\(monotonicMicroseconds())", environment)
      defer { SocketFile.notify("READY=1", environment) }
      do {
        guard let reading = try reader?.read(), let command = reading.command as? Command else {
          return
        }
        try apply(command)
        let fixed = changedOptions(from: words, to: reading.words)
          .subtracting(names).sorted().map { "--\($0)" }.joined(separator: ", ")
        words = reading.words
        report.note("reloaded" + (fixed.isEmpty ? "" : "; a restart is needed for \(fixed)"))
      } catch {
        // A log file that was moved away, whatever is wrong.
        try? log?.reopen()
        let reason = (error as? ImageError)?.message ?? reader?.message(error) ?? "\(error)"
        report.error("not reloaded, the former configuration stays in force: \(reason)")
      }
    }
  }
}

private func changedOptions(from old: [String], to new: [String]) -> Set<String> {
  let differing = Set(old).symmetricDifference(new)
  return Set(differing.map { String($0.drop { $0 == "-" }.prefix { $0 != "=" }) })
}

private func monotonicMicroseconds() -> Int {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
}
