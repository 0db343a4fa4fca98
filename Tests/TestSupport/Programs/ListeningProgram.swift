import Foundation
import Testing

@testable import ImageModel

extension ChildProcess {
  /// The program's address, as JSON on its first line.
  ///
  /// - Parameter scratch: Where its output goes.
  func listening(from scratch: Scratch) async throws -> (port: UInt16, line: String) {
    let output = scratch / "output"
    await Condition.until(turns: Condition.turnsOfStart) {
      (try? String(contentsOfFile: output, encoding: .utf8))?.hasSuffix("\n") == true
        || self.endedStatus != nil
    }
    let line = try String(contentsOfFile: output, encoding: .utf8)
    let object = try line.split(separator: "\n").first.flatMap {
      try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
    }
    guard let object, object["event"] as? String == "listening" else {
      // The object of a failure precedes its line on stderr.
      await Condition.until { self.endedStatus != nil }
      let errors = try String(contentsOfFile: scratch / "errors", encoding: .utf8)
      throw ImageError(.connectionFailed, "it did not start: \(errors)")
    }
    return (UInt16(object["port"] as? Int ?? 0), line)
  }
}
