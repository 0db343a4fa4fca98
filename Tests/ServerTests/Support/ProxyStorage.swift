import Foundation

@testable import CachingProxy
@testable import DiskCaching
@testable import TestSupport

/// The storage of a proxy under test; removed with the value.
final class ProxyStorage: Sendable {
  /// The two kinds, for tests that apply to both.
  enum Kind: CaseIterable, Sendable { case memory, disk }

  let storage: CachingProxy.Storage
  /// The directory's cache; `nil` in memory.
  let cache: DiskCache?
  let clock = ManualClock(Date(timeIntervalSince1970: 1_600_000_000))
  private let scratch: Scratch

  init(_ kind: Kind) throws {
    scratch = try Scratch()
    var configuration = DiskCache.Configuration(directory: scratch / "cache")
    let clock = clock
    configuration.clock = { clock.now }
    cache = kind == .disk ? try DiskCache(configuration) : nil
    storage = cache.map { .disk($0) } ?? .memory(maximumByteCount: 64 << 20)
  }
}
