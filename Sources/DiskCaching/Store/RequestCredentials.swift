package import HTTPCaching
package import HTTPTypes
package import ImageModel
import TextEncodings

/// What an origin may know a request by: its `Authorization` and `Cookie`, and fields for hosts.
package struct RequestCredentials: Sendable {
  package let url: String
  private let address: String
  package let own: OriginHeaders
  fileprivate let headers: OriginHeaders

  /// - Parameter address: Where it is sent, if `url` is another name of its entries. Default: `url`.
  package init(
    _ fields: HTTPFields = [:], for url: String, at address: String? = nil, headers: OriginHeaders
  ) {
    self.url = url
    self.address = address ?? url
    self.headers = headers
    own = OriginHeaders(fields.filter { $0.name == .authorization || $0.name == .cookie })
  }

  fileprivate var isEmpty: Bool { own.isEmpty && headers.isEmpty }

  /// Those that are sent to the URL, or after a redirect to another one.
  package func sent(redirectedTo other: String? = nil) -> OriginHeaders {
    if headers.isEmpty { return own }
    return headers.sent(along: [address, other ?? address].compactMap { WebURL($0) }).union(own)
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
