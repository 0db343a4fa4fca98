import ArgumentParser
import HTTPListening
import ImageModel

/// What SIGHUP does to a running server: its configuration file, and the files that its options
/// name, are read again, and the access log is opened again.
///
/// Where anything is wrong the former configuration stays in force.
struct Reload<Command: ParsableCommand>: Sendable {
  private let names: Set<String>
  private let report: Report
  private let log: LogFile?
  private let reader: CommandLineReader?
  private let apply: @Sendable (Command) throws -> Void
  /// The command line as it was in force last, and a lock for reloads.
  private let words: Locked<[String]>

  /// - Parameters:
  ///   - names: The options that `apply` takes over.
  ///   - apply: Takes them over from a command that was read again; throws before it changes
  ///     anything.
  init(
    of type: Command.Type, naming names: Set<String>, report: Report, log: LogFile?,
    _ apply: @escaping @Sendable (Command) throws -> Void
  ) {
    self.names = names
    self.report = report
    self.log = log
    self.apply = apply
    let reader = CommandLineReader.program.withLock { $0 }
    self.reader = reader
    words = Locked((try? reader?.read().expansion.arguments) ?? [])
  }

  /// Reloads, one at a time.
  @Sendable func callAsFunction() {
    words.withLock { words in
      let environment = Environment.variables
      // The protocol of systemd's Type=notify-reload.
      SocketFile.notify("RELOADING=1\nMONOTONIC_USEC=\(Self.microseconds)", environment)
      defer { SocketFile.notify("READY=1", environment) }
      do {
        guard let reading = try reader?.read(), let command = reading.command as? Command else {
          return
        }
        try apply(command)
        let fixed = changes(from: words, to: reading.expansion.arguments)
        words = reading.expansion.arguments
        report.note(
          "reloaded"
            + (fixed.isEmpty ? "" : "; a restart is needed for \(fixed.joined(separator: ", "))"))
      } catch let error as ImageError {
        refuse(error.message)
      } catch {
        refuse(reader?.message(error) ?? "\(error)")
      }
    }
  }

  private func refuse(_ reason: String) {
    // A log file that was moved away, whatever is wrong.
    try? log?.reopen()
    report.error("not reloaded, the former configuration stays in force: \(reason)")
  }

  /// The options that differ and that a reload does not take over.
  private func changes(from old: [String], to new: [String]) -> [String] {
    let differing = Set(old).symmetricDifference(new)
    return Set(differing.map { String($0.drop { $0 == "-" }.prefix { $0 != "=" }) })
      .subtracting(names).sorted().map { "--\($0)" }
  }

  private static var microseconds: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000 + time.tv_nsec / 1000
  }
}
