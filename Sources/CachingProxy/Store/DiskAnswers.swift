import HTTPTypes
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Keeps answers in the cache directory, as originals under their URLs: `imgcache path URL` finds
/// them.
final class DiskAnswers: AnswerStoring {
  private let cache: DiskCache
  private let storesSetCookie: Bool
  private let log: @Sendable (String) -> Void

  init(_ cache: DiskCache, storesSetCookie: Bool, log: @escaping @Sendable (String) -> Void) {
    self.cache = cache
    self.storesSetCookie = storesSetCookie
    self.log = log
  }

  /// Bodies up to this are read whole, with their checksum compared; longer ones are read from
  /// their file.
  private static let wholeByteCount = 4 << 20

  func answers(for url: String) -> [StoredEntry] {
    cache.variations(of: url).compactMap { record in
      // The directory may hold what a private cache put there, for its one user, and what an older
      // version shared.
      guard !record.isNegative, !record.isAlwaysStale else { return nil }
      let fields = record.headers.fields
      guard
        HTTPStorability.mayStorePart(
          status: record.status, headers: fields, request: [:], isShared: true,
          storesSetCookie: storesSetCookie)
      else { return nil }
      return entry(record, fields)
    }
  }

  func stage(byteCount: Int?) -> (any StagedAnswer)? {
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

  func renew(_ entry: StoredEntry, as answer: StoredAnswer, for url: String) {
    let old = CacheKey.original(url: url, vary: entry.answer.selection)
    guard var record = cache.record(for: old) else { return }
    record.adopt(answer)
    logging {
      // Chosen by other fields now: kept under them as well. Equal bytes are one file.
      if answer.selection != entry.answer.selection, let bytes = cache.read(old)?.bytes {
        record.key = .original(url: url, vary: answer.selection)
        try cache.store(bytes, record)
      } else {
        try cache.update(record)
      }
    }
  }

  func touch(_ entry: StoredEntry, for url: String) {
    cache.touch(.original(url: url, vary: entry.answer.selection))
  }

  func remove(_ entry: StoredEntry, for url: String) {
    logging { try cache.remove([.original(url: url, vary: entry.answer.selection)]) }
  }

  func removeAll(for url: String) {
    logging { try cache.remove(urls: [url]) }
  }

  fileprivate func commit(
    _ staged: StagedBlob, _ answer: StoredAnswer, for url: String
  ) throws -> StoredEntry {
    var record = CacheRecord(
      key: .original(url: url, vary: answer.selection), at: answer.responseTime)
    record.adopt(answer)
    return entry(try cache.commit(staged, record), record.headers.fields)
  }

  private func entry(_ record: CacheRecord, _ fields: HTTPFields) -> StoredEntry {
    var fields = fields
    // One without a value is what a pipeline leaves of it.
    if !storesSetCookie || fields[.setCookie] == "" { fields[.setCookie] = nil }
    let answer = StoredAnswer(
      status: record.status, fields: fields, requestTime: record.requestTime,
      responseTime: record.responseTime, selection: record.key.selection,
      byteCount: record.byteCount)
    let cache = cache
    return StoredEntry(answer: answer) {
      if record.byteCount <= Self.wholeByteCount {
        guard let found = cache.read(record.key), found.record.content == record.content else {
          return nil
        }
        return BytesInMemory(bytes: found.bytes)
      }
      return cache.path(for: record.key).flatMap { FileBody(path: $0) }
    }
  }

  private func logging(_ body: () throws -> Void) {
    do { try body() } catch { log("the cache: \(error)") }
  }
}

extension CacheRecord {
  fileprivate mutating func adopt(_ answer: StoredAnswer) {
    status = answer.status
    headers = HeaderText(answer.fields)
    requestTime = answer.requestTime
    responseTime = answer.responseTime
  }
}

extension CacheKey {
  fileprivate var selection: String {
    if case .original(_, let vary) = self { vary } else { "" }
  }
}

/// An answer on its way onto the disk.
private final class StagedOnDisk: StagedAnswer {
  private let store: DiskAnswers
  private let blob: StagedBlob
  /// Opened when somebody reads, and good after the file has got its final name.
  private let file: Locked<FileBody?> = Locked(nil)

  init(_ store: DiskAnswers, _ blob: StagedBlob) {
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

  func commit(_ answer: StoredAnswer, for url: String) throws -> StoredEntry {
    try store.commit(blob, answer, for: url)
  }
}
