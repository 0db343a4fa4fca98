import Foundation
import Testing
@testable import TestSupport

/// The checks of the Swift fuzz targets, on their seeds and on recorded findings.
@Suite struct `Fuzz targets` {
  private static let seeds = SharedFixtures.packageRoot.appending(
    path: "Tests/Fixtures/seeds")

  @Test(arguments: FuzzTarget.allCases.filter { $0 != .player })
  func `every property holds for the seeds, and for each of them truncated`(target: FuzzTarget)
    throws
  {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.seeds.appending(path: target.rawValue), includingPropertiesForKeys: nil)

    #expect(!files.isEmpty)
    for file in files {
      let bytes = [UInt8](try Data(contentsOf: file))
      for count in [bytes.count, bytes.count - 1, bytes.count / 2, 0] {
        #expect(throws: Never.self, "\(file.lastPathComponent), \(count) bytes") {
          try target.check(Array(bytes.prefix(count)))
        }
      }
    }
  }
}
