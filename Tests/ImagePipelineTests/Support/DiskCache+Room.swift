@testable import ImagePipeline

extension DiskCache.Configuration {
  /// Leaves room for exactly so many files of up to 4 KiB; folders and the index do not count.
  mutating func setRoom(files count: Int) {
    maximumByteCount = count * DiskBudget.blockByteCount
    countsOverhead = false
  }
}
