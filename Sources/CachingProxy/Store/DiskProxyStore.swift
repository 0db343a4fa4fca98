import HTTPTypes
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Keeps answers in the cache directory, as originals under their URLs: `imgcache path URL` finds
/// them.
final class DiskProxyStore: ProxyStore {
  private let cache: DiskCache
  private let profile: CacheProfile
  private let log: @Sendable (String) -> Void

  init(_ cache: DiskCache, profile: CacheProfile, log: @escaping @Sendable (String) -> Void) {
    self.cache = cache
    self.profile = profile
    self.log = log
  }

  /// Bodies up to this are read whole, with their checksum compared; longer ones are read from
  /// their file.
  private static let wholeByteCount = 4 << 20

  func entries(for url: String, request: HTTPFields) -> [ProxyEntry] {
    cache.variations(of: url).compactMap { record in
      // The directory may hold what a private cache put there, for its one user, and what an older
      // version shared.
      guard !record.isNegative, !record.isAlwaysStale else { return nil }
      let response = StoredResponse(record, for: request)
      guard profile.mayStore(status: record.status, response.fields, for: [:]) else { return nil }
      return entry(record.key, record.content, response)
    }
  }

  func stage(byteCount: Int?) -> (any StagedResponse)? {
    if let byteCount, let maximum = cache.configuration.maximumByteCount, byteCount > maximum {
      return nil
    }
    do throws(ImageError) {
      return StagedOnDisk(self, try cache.stage())
    } catch {
      log("an answer is not kept: \(error.message)")
      return nil
    }
  }

  func update(
    _ entry: ProxyEntry, as response: StoredResponse, for url: String
  ) -> ProxyEntry {
    logging {
      try cache.update(entry.key, of: url, as: response)
    }
    return ProxyEntry(key: entry.key, response: response, open: entry.open)
  }

  func touch(_ entry: ProxyEntry, for url: String) {
    cache.touch(entry.key)
  }

  func remove(_ entry: ProxyEntry, for url: String) {
    logging { try cache.remove([entry.key]) }
  }

  func removeAll(for url: String) {
    logging { try cache.remove(urls: [url]) }
  }

  fileprivate func commit(
    _ staged: StagedBlob, _ response: StoredResponse, for url: String
  ) throws {
    var record = CacheRecord(
      key: .original(url: url, vary: response.selection), at: response.responseTime)
    record.adopt(response)
    try cache.commit(staged, record)
  }

  private func entry(
    _ key: CacheKey, _ content: CacheContent?, _ stored: StoredResponse
  ) -> ProxyEntry {
    var response = stored
    // One without a value is what a pipeline leaves of it.
    if !profile.storesSetCookie || response.fields[.setCookie] == "" {
      response.fields[.setCookie] = nil
    }
    let cache = cache
    let byteCount = response.byteCount
    return ProxyEntry(key: key, response: response) {
      if byteCount <= Self.wholeByteCount {
        guard let found = cache.read(key), found.record.content == content else { return nil }
        return BytesInMemory(bytes: found.bytes)
      }
      return cache.path(for: key).flatMap { FileBody(path: $0) }
    }
  }

  private func logging(_ body: () throws -> Void) {
    do { try body() } catch { log("the cache: \(error)") }
  }
}

/// An answer on its way onto the disk.
private final class StagedOnDisk: StagedResponse {
  private let store: DiskProxyStore
  private let blob: StagedBlob
  /// Opened when somebody reads, and good after the file has got its final name.
  private let file: Locked<FileBody?> = Locked(nil)

  init(_ store: DiskProxyStore, _ blob: StagedBlob) {
    self.store = store
    self.blob = blob
    // Now, for the name does not last.
    let body = FileBody(path: blob.path)
    file.withLock { $0 = body }
  }

  func append(_ bytes: [UInt8]) throws { try blob.append(bytes) }

  func read(at offset: Int, count: Int) throws -> [UInt8] {
    guard let body = file.withLock({ $0 }) else {
      throw ImageError(.fileUnreadable, "a temporary file is gone")
    }
    return try body.read(at: offset, count: count)
  }

  func commit(_ response: StoredResponse, for url: String) throws {
    try store.commit(blob, response, for: url)
  }
}
