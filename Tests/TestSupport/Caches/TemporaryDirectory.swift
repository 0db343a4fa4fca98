import Foundation

/// A temporary directory, removed with its contents when the last reference is released.
final class TemporaryDirectory: Sendable {
  let path: String

  init() {
    path = NSTemporaryDirectory() + "imgcache-test-\(UInt64.random(in: .min ... .max))"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  func path(_ name: String) -> String { path + "/" + name }

  /// Paths of all regular files below, relative to the directory, sorted.
  func files(under folder: String = "") -> [String] {
    let root = folder.isEmpty ? path : path(folder)
    let all = FileManager.default.enumerator(atPath: root)?.allObjects as? [String] ?? []
    return all.filter {
      var isDirectory: ObjCBool = false
      _ = FileManager.default.fileExists(atPath: root + "/" + $0, isDirectory: &isDirectory)
      return !isDirectory.boolValue
    }.sorted()
  }
}

/// The allocated size of a directory, as `du` counts it.
enum AllocatedSize {
  /// Bytes of all blocks below a path, those of folders included.
  static func byteCount(of path: String) -> Int {
    let names = FileManager.default.enumerator(atPath: path)?.allObjects as? [String] ?? []
    return ([""] + names).reduce(0) { sum, name in
      var status = stat()
      return lstat(path + "/" + name, &status) == 0 ? sum + Int(status.st_blocks) * 512 : sum
    }
  }
}
