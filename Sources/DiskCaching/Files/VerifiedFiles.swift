/// Files whose checksum this process has compared: a long body is read whole only before its first
/// hit, and when its file has changed.
struct VerifiedFiles {
  private struct File: Equatable {
    let version: BodyFile.Version
    let checksum: UInt32
  }

  /// 1,024 files: another one takes the place of one with the same place.
  private static let maximumCount = 1024
  private var files: [File?] = []

  /// Whether the bytes of a version of a file have a checksum.
  func contains(_ version: BodyFile.Version, _ checksum: UInt32) -> Bool {
    !files.isEmpty && files[place(of: version)] == File(version: version, checksum: checksum)
  }

  mutating func insert(_ version: BodyFile.Version, _ checksum: UInt32) {
    if files.isEmpty { files = Array(repeating: nil, count: Self.maximumCount) }
    files[place(of: version)] = File(version: version, checksum: checksum)
  }

  private func place(of version: BodyFile.Version) -> Int {
    Int(version.inode % UInt64(Self.maximumCount))
  }
}
