package import HTTPCaching
package import HTTPTypes
package import ImageModel
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

  /// The marks of the single fields.
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

  /// The key, which is made where there is none: the lock of the index keeps two processes from
  /// making one each.
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

/// What an origin may know a request for a URL by: its own `Authorization` and `Cookie`, and the
/// fields for hosts.
package struct RequestCredentials: Sendable {
  package let url: String
  package let own: OriginHeaders
  fileprivate let headers: OriginHeaders

  package init(_ fields: HTTPFields = [:], for url: String, headers: OriginHeaders) {
    self.url = url
    self.headers = headers
    own = OriginHeaders(fields.filter { $0.name == .authorization || $0.name == .cookie })
  }

  fileprivate var isEmpty: Bool { own.isEmpty && headers.isEmpty }

  /// Those that are sent to the URL, or after a redirect to another one.
  package func sent(redirectedTo other: String? = nil) -> OriginHeaders {
    if headers.isEmpty { return own }
    return headers.sent(along: [url, other ?? url].compactMap { WebURL($0) }).union(own)
  }
}

extension DiskStore {
  /// The mark of a response that was fetched with these fields; see ``CacheRecord/originMark``.
  package func mark(of sent: OriginHeaders) -> [UInt8] { marks.mark(of: sent) }

  /// The mark of a response for a URL that is requested with the fields of this process.
  package func mark(ofURL url: String) -> [UInt8] {
    mark(of: RequestCredentials(for: url, headers: marks.headers).sent())
  }

  /// Whether an entry was fetched with no other fields than those that this process sends.
  package func covers(_ record: CacheRecord) -> Bool { marks.cover(record.originMark) }

  /// Whether this instance answers with an entry, where the request's own credentials are not known;
  /// see ``DiskCache/PrivateEntries``.
  func shows(_ record: CacheRecord) -> Bool {
    guard configuration.privateEntries == .hidden else { return true }
    if !record.originMark.isEmpty { return covers(record) }
    // Of the documents of feeds, only what the program makes of them is served.
    if case .document = record.key { return true }
    return record.isNegative || !record.isAlwaysStale && !record.headers.saysPrivate
  }

  /// Whether an entry may answer a request with some credentials.
  package func shows(_ record: CacheRecord, to request: RequestCredentials) -> Bool {
    if record.isNegative { return record.originMark == mark(of: request.sent()) }
    if record.originMark.isEmpty, request.isEmpty { return shows(record) }
    switch configuration.privateEntries {
    case .own where !record.headers.isForAll:
      let (sent, last) = (request.sent(), request.sent(redirectedTo: record.effectiveURL))
      if record.originMark.isEmpty, sent.isEmpty, last.isEmpty { return true }
      let fields = OriginMarks.fields(of: record.originMark)
      return fields.isSubset(of: self.fields(of: request.headers.union(request.own)))
        && fields.isSuperset(of: self.fields(of: last))
        // An alternate is sent the fields for its own host alone.
        && (fields.isSuperset(of: self.fields(of: sent)) || record.key.mark == keyMark(of: request))
    case .hidden where !request.own.isEmpty && !record.headers.isForAll:
      let (fields, own) = (OriginMarks.fields(of: record.originMark), fields(of: request.own))
      return fields.isSuperset(of: own) && marks.cover(fields.subtracting(own))
    default: return shows(record)
    }
  }

  private func fields(of sent: OriginHeaders) -> Set<[UInt8]> {
    OriginMarks.fields(of: mark(of: sent))
  }

  /// The part of a key that distinguishes entries for different credentials; empty for none. Those
  /// of a server or an archive have the same key for all fields for hosts.
  package func keyMark(of request: RequestCredentials) -> String {
    Hex.encoded(mark(of: configuration.privateEntries == .own ? request.sent() : request.own))
  }

  /// The record of a response to a request that was sent with some fields for hosts.
  package func record(
    of response: StoredResponse, to request: RequestCredentials, sentWith headers: OriginHeaders
  ) -> CacheRecord {
    let isForAll = response.isForAll
    let key = CacheKey.original(url: request.url, vary: masked(response.selection))
      .marked(isForAll ? "" : keyMark(of: request))
    var record = CacheRecord(key: key, at: response.responseTime)
    record.adopt(response)
    record.originMark = mark(of: isForAll ? headers : headers.union(request.own))
    return record
  }

  // MARK: Vary

  /// The text of a `VaryKey` with marks in place of credentials.
  func masked(_ selection: String) -> String {
    selection.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      let name = line.prefix { $0 != ":" }
      guard name != line, name == "authorization" || name == "cookie" else { return String(line) }
      return "\(name): =\(marks.mark(of: line))"
    }.joined(separator: "\n")
  }

  /// A stored response, with the selection of a request that differs from its own in marks alone.
  func response(of record: CacheRecord, to request: HTTPFields) -> StoredResponse {
    var response = StoredResponse(record)
    if response.selection.contains(": ="),
      let selection = VaryKey(answer: response.fields, request: request)?.description,
      masked(selection) == response.selection
    {
      response.selection = selection
    }
    return response
  }
}
