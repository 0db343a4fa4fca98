import Foundation

@testable import ImageModel

/// Python with a package of PyPI: from `.build/NAME`, where `scripts/install-dependencies` puts it,
/// or that of the machine.
struct PythonTool {
  private let program: String
  private let first: [String]

  /// `nil` where neither has the modules.
  init?(_ name: String, importing modules: String) async {
    let own = SharedFixtures.packageRoot.appending(path: ".build/\(name)/bin/python3").path
    for (program, first) in [(own, []), ("/usr/bin/env", ["python3"])]
    where FileManager.default.isExecutableFile(atPath: program) {
      let arguments = first + ["-c", "import \(modules)"]
      guard let child = try? ChildProcess(program, arguments), (try? await child.end()) == 0 else {
        continue
      }
      (self.program, self.first) = (program, first)
      return
    }
    return nil
  }

  /// Runs a script, and returns its exit status.
  func run(_ script: String, _ arguments: [String]) async throws -> Int32 {
    try await ChildProcess(program, first + ["-c", script] + arguments).end()
  }
}
