import HTTPTypes
package import ImageModel

/// Distinguishes entries that were fetched with ``OriginHeaders`` from others, without their
/// values: each carries, for each field that was sent, the first 16 bytes of an HMAC-SHA256 of
/// host, name and value.
///
/// The key is 32 random bytes in the file `origin-key` of the directory, which only its owner may
/// read: a hash without a key would let every reader of the index guess a short value.
struct OriginMarks: Sendable {
  private let blobs: BlobStore
  let headers: OriginHeaders
  /// The key, once it is there, and the marks of ``headers`` under it.
  private let known = Locked<(key: [UInt8], own: Set<[UInt8]>)?>(nil)

  private static let markByteCount = 16
  private static let keyByteCount = 32

  init(_ blobs: BlobStore, headers: OriginHeaders) {
    self.blobs = blobs
    self.headers = headers
  }

  private var path: String { blobs.directory + "/origin-key" }

  /// Whether every field that an entry was fetched with is one of this process.
  func cover(_ mark: [UInt8]) -> Bool {
    if mark.isEmpty { return true }
    if headers.isEmpty { return false }
    guard let own = find()?.own else { return false }
    return stride(from: 0, to: mark.count, by: Self.markByteCount).allSatisfy { start in
      own.contains(Array(mark[start..<min(start + Self.markByteCount, mark.count)]))
    }
  }

  /// The mark of an entry that was fetched with these fields; empty for none. Without a key, as
  /// where the disk is full, it is one that no fields have. The lock of the index keeps two
  /// processes from making a key each.
  func mark(of sent: OriginHeaders, _ index: CacheIndex) -> [UInt8] {
    if sent.isEmpty { return [] }
    if find() == nil { _ = try? index.write { _ in try makeKey() } }
    guard let key = find()?.key else { return Self.random(Self.markByteCount) }
    return sent.rules.map { Self.mark(of: $0, key: key) }.sorted {
      $0.lexicographicallyPrecedes($1)
    }
    .flatMap(\.self)
  }

  private static func mark(of rule: OriginHeaders.Rule, key: [UInt8]) -> [UInt8] {
    var message = Array("\(rule.host)\0\(rule.field.name.canonicalName)\0".utf8)
    message += rule.field.valueBytes
    let code = message.withUnsafeBytes { message in
      key.withUnsafeBytes { SHA256.authenticationCode(for: message, key: $0) }
    }
    return code.withBytes { Array($0.prefix(markByteCount)) }
  }

  private func find() -> (key: [UInt8], own: Set<[UInt8]>)? {
    known.withLock { known in
      if known == nil, let key = (try? blobs.files.read(path, byteCount: Self.keyByteCount)) ?? nil
      {
        known = (key, Set(headers.rules.map { Self.mark(of: $0, key: key) }))
      }
      return known
    }
  }

  /// Makes a key unless there is one, if only one that this process may not read.
  private func makeKey() throws(FileSystemFailure) {
    if try blobs.files.facts(at: path)?.byteCount == Self.keyByteCount { return }
    try blobs.replace(
      path, with: Self.random(Self.keyByteCount), mode: 0o600, isDurable: blobs.synchronizes)
  }

  private static func random(_ count: Int) -> [UInt8] {
    (0..<count).map { _ in UInt8.random(in: .min ... .max) }
  }
}

extension DiskStore {
  /// The mark of a response that was fetched with these fields; see ``CacheRecord/originMark``.
  package func mark(of sent: OriginHeaders) -> [UInt8] { marks.mark(of: sent, index) }

  /// The mark of a response for a URL that is requested with the fields of this process.
  package func mark(ofURL url: String) -> [UInt8] {
    if marks.headers.isEmpty { return [] }
    return WebURL(url).map { mark(of: marks.headers.sent(along: [$0])) } ?? []
  }

  /// Whether an entry was fetched with no other fields than those that this process sends.
  package func covers(_ record: CacheRecord) -> Bool { marks.cover(record.originMark) }

  /// Whether this instance answers with an entry; see
  /// ``DiskCache/Configuration/hidesPrivateEntries``.
  func shows(_ record: CacheRecord) -> Bool {
    guard configuration.hidesPrivateEntries else { return true }
    if !record.originMark.isEmpty { return covers(record) }
    // Of the documents of feeds, only what the program makes of them is served.
    if case .document = record.key { return true }
    return record.isNegative || !record.isAlwaysStale && !record.headers.saysPrivate
  }
}
