import Synchronization

/// Names for files that are not to meet: a random number for the process, and a count.
enum TemporaryName {
  /// Folders that temporary files are spread over.
  private static let folderCount: UInt64 = 64
  /// So many files in a row share a folder: a short run makes few folders.
  private static let runLength: UInt64 = 16

  private static let random = UInt64.random(in: .min ... .max)
  private static let process = String(random, radix: 36)
  private static let count = Atomic<UInt64>(0)

  /// A name that no other process and no other call uses, and a folder to create the file in.
  static func next() -> (folder: String, name: String) {
    let number = count.add(1, ordering: .relaxed).newValue
    let folder = (random &+ number / runLength) % folderCount
    return ((folder < 16 ? "0" : "") + String(folder, radix: 16), "\(process)-\(number)")
  }
}
