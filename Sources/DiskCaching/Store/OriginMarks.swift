import HTTPTypes
import ImageModel
import TextEncodings

/// Distinguishes entries that were fetched with credentials from others, without their values: each
/// carries, for each field that was sent, the first 16 bytes of an HMAC-SHA256 of host, name and
/// value. The request's own fields have no host.
///
/// The key is 32 random bytes in the file `origin-key` of the directory, which only its owner may
/// read: a hash without a key would let every reader of the index guess a short value.
struct OriginMarks: Sendable {
  private let blobs: BlobStore
  private let index: CacheIndex
  let headers: OriginHeaders
  /// The key, once it is there, and the marks of ``headers`` under it.
  private let known = Locked<(key: [UInt8], own: Set<[UInt8]>)?>(nil)

  private static let markByteCount = 16
  private static let keyByteCount = 32

  init(_ blobs: BlobStore, _ index: CacheIndex, headers: OriginHeaders) {
    self.blobs = blobs
    self.index = index
    self.headers = headers
  }

  private var path: String { blobs.directory + "/origin-key" }

  /// Whether every field that an entry was fetched with is one of this process.
  func cover(_ mark: [UInt8]) -> Bool { mark.isEmpty || cover(Self.fields(of: mark)) }

  func cover(_ fields: Set<[UInt8]>) -> Bool {
    fields.isEmpty || !headers.isEmpty && fields.isSubset(of: find()?.own ?? [])
  }

  /// The mark of an entry that was fetched with these fields; empty for none. Without a key, as
  /// where the disk is full, it is one that no fields have.
  func mark(of sent: OriginHeaders) -> [UInt8] {
    if sent.isEmpty { return [] }
    guard let key = key() else { return Self.random(Self.markByteCount) }
    return Self.joined(sent.rules.map { Self.mark(of: $0, key: key) })
  }

  /// The same of all fields of a request, in hexadecimal digits.
  func mark(of fields: HTTPFields) -> String { Hex.encoded(mark(of: OriginHeaders(fields))) }

  /// The mark of any text, in hexadecimal digits.
  func mark(of text: Substring) -> String {
    Hex.encoded(
      key().map { Self.mark(of: Array(text.utf8), key: $0) } ?? Self.random(Self.markByteCount))
  }

  static func fields(of mark: [UInt8]) -> Set<[UInt8]> {
    Set(
      stride(from: 0, to: mark.count, by: markByteCount).map {
        Array(mark[$0..<min($0 + markByteCount, mark.count)])
      })
  }

  static func joined(_ fields: some Sequence<[UInt8]>) -> [UInt8] {
    fields.sorted { $0.lexicographicallyPrecedes($1) }.flatMap(\.self)
  }

  private static func mark(of rule: OriginHeaders.Rule, key: [UInt8]) -> [UInt8] {
    let start = "\(rule.host)\0\(rule.field.name.canonicalName)\0"
    return mark(of: Array(start.utf8) + rule.field.valueBytes, key: key)
  }

  private static func mark(of message: [UInt8], key: [UInt8]) -> [UInt8] {
    let code = message.withUnsafeBytes { message in
      key.withUnsafeBytes { SHA256.authenticationCode(for: message, key: $0) }
    }
    return code.withBytes { Array($0.prefix(markByteCount)) }
  }

  /// The key, made where there is none: under the lock of the index, two processes make one.
  private func key() -> [UInt8]? {
    if find() == nil { _ = try? index.write { _ in try makeKey() } }
    return find()?.key
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
