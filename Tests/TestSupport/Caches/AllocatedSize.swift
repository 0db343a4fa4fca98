import Foundation

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
