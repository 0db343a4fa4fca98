import Synchronization
import TextEncodings

/// Unique names for temporary files: a random number for the process, and a count.
enum TemporaryName {
  /// The number of files in a row that share a folder, so that a short run creates few folders.
  private static let runLength: UInt64 = 16

  private static let random = UInt64.random(in: .min ... .max)
  private static let process = String(random, radix: 36)
  private static let count = Atomic<UInt64>(0)

  /// A name that no other process and no other call uses, and a folder to create the file in.
  static func next(amongFolders folderCount: Int) -> (folder: String, name: String) {
    let number = count.add(1, ordering: .relaxed).newValue
    let folder = (random &+ number / runLength) % UInt64(max(1, folderCount))
    return (Hex.encoded(folder, digitCount: 2), "\(process)-\(number)")
  }

  static func isOne(_ name: String) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return parts.count == 2 && UInt64(parts[0], radix: 36) != nil && UInt64(parts[1]) != nil
  }

  static func isFolder(_ name: String) -> Bool {
    name.utf8.count == 2 && UInt8(name, radix: 16) != nil && name.first != "+"
  }
}
