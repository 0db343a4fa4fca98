import Foundation

@testable import TestSupport

extension Scratch {
  /// Writes a file below, with the folders above it, and returns its path.
  @discardableResult
  func write(_ bytes: [UInt8], _ name: String) throws -> String {
    let file = URL(fileURLWithPath: self / name)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: file)
    return self / name
  }

  @discardableResult
  func write(_ text: String, _ name: String) throws -> String {
    try write(Array(text.utf8), name)
  }

  func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: self / name)))
  }

  func text(_ name: String) throws -> String {
    try String(contentsOfFile: self / name, encoding: .utf8)
  }

  /// What is in a folder, sorted; nothing if it is absent.
  func names(_ folder: String = "") -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: self / folder))?.sorted() ?? []
  }

  func has(_ name: String) -> Bool { FileManager.default.fileExists(atPath: self / name) }
}
