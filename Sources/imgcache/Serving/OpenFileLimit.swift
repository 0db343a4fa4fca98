import CPlatform
import HTTPListening
import ImageModel

/// The limit of open files of this process, and the number of connections it allows.
struct OpenFileLimit: Sendable, Hashable {
  /// The soft limit; `Int.max` for none.
  let count: Int

  /// Files that are open without any connection: the database, event loops, logs, origins.
  private static let ownFileCount = 64
  /// The connection itself, and its file, origin or refusal.
  private static let filesPerConnection = 2
  /// With too low a limit as many are tried; accepting pauses at the limit.
  private static let minimumConnectionCount = 16
  /// The soft limit is not raised above it without need: some systems allow a billion.
  private static let ordinaryCount = 65_536

  init(count: Int) { self.count = count }

  /// - Throws: ``ImageError`` with code `cannotListen` if a server cannot even start: an event
  ///   loop that gets no descriptor ends the process with a trap.
  init(raisedFor connectionCount: Int) throws(ImageError) {
    let wanted = max(Self.ordinaryCount, Self.fileCount(for: connectionCount))
    let raised = imgc_limits_raise_open_files(Int64(wanted))
    count = raised > 0 ? Int(raised) : .max
    // Three for each event loop.
    let needed = 24 + 3 * Processors.usableCount
    guard count >= needed else {
      throw ImageError(
        .cannotListen,
        "Open files limited to \(count) (ulimit -n, LimitNOFILE=); a server needs \(needed)")
    }
  }

  /// The maximum number of open files with so many connections.
  static func fileCount(for connectionCount: Int) -> Int {
    connectionCount * filesPerConnection + ownFileCount
  }

  var connectionCount: Int {
    max(Self.minimumConnectionCount, (count - Self.ownFileCount) / Self.filesPerConnection)
  }
}
