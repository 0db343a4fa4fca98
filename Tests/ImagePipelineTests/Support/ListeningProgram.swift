import Foundation
import Testing

@testable import ImagePipeline

extension ChildProcess {
  /// What the program said of where it listens, as JSON on its first line.
  ///
  /// - Parameter scratch: Where its output goes.
  func listening(from scratch: Scratch) async throws -> (port: UInt16, line: String) {
    let output = scratch / "output"
    await Condition.until {
      (try? String(contentsOfFile: output, encoding: .utf8))?.hasSuffix("\n") == true
        || self.endedStatus != nil
    }
    let line = try String(contentsOfFile: output, encoding: .utf8)
    guard let first = line.split(separator: "\n").first else {
      let errors = try String(contentsOfFile: scratch / "errors", encoding: .utf8)
      throw ImageError(.cannotListen, "it did not start: \(errors)")
    }
    let object = try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any]
    return (UInt16(object?["port"] as? Int ?? 0), line)
  }
}
