import Foundation

/// A temporary folder, on the disk that `BENCHMARK_DISK` names or the system's for
/// temporary files.
package struct ScratchFolder: Sendable {
  package let path: String

  package init() throws {
    let base =
      ProcessInfo.processInfo.environment["BENCHMARK_DISK"]
      ?? FileManager.default.temporaryDirectory.path
    path = "\(base)/imgcache-benchmark-\(UInt64.random(in: 0...UInt64.max))"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  package func remove() { try? FileManager.default.removeItem(atPath: path) }
}
