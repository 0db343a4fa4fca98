import HTTPTypes
import ImageModel

/// Receives the body of one response: in memory while it is short, in a file if it is long or slow
/// or continues a kept prefix. What a failed transfer brought stays for the next attempt if that
/// can continue it.
struct BodySink {
  /// Signals that the kept prefix is useless and that the whole body must be requested.
  struct AskAgain: Error {}

  private let url: String
  /// Whether a kept prefix is of no use, as the whole has to be requested.
  var startsOver = false
  private var resource: String?
  private var credentials = HTTPFields()
  private let maximumByteCount: Int
  private let store: (any PartialBodyStoring)?
  private let watcher: (any BodyWatching)?
  private var expectedByteCount: Int?
  private var download = ResumableDownload(prefix: nil)
  private var partial: (any PartialBody)?
  private var action: ResumableDownload.Action?
  private var memory: [UInt8] = []

  /// Creates a sink for the body of a URL; call ``open(_:)`` before each request. Without a store
  /// everything stays in memory, and nothing is kept after a failure.
  init(
    url: String, maximumByteCount: Int, store: (any PartialBodyStoring)?,
    watcher: (any BodyWatching)? = nil
  ) {
    self.url = url
    self.watcher = watcher
    self.maximumByteCount = maximumByteCount
    self.store = store
  }

  /// Opens the kept prefix of the body of a resource, if there is one: the URL, or one that it
  /// redirects to. The prefix of another one is left as it is, and one that was fetched with other
  /// credentials is discarded.
  mutating func open(_ resource: String, sentWith credentials: HTTPFields = [:]) {
    if resource == self.resource { return }
    self.resource = resource
    self.credentials = credentials
    partial = nil
    if let store, store.keepsPartial(of: resource) {
      partial = (try? store.openPartial(for: resource, sentWith: credentials)) ?? nil
    }
    if startsOver { discard() }
    download = ResumableDownload(
      prefix: partial.flatMap { partial in
        partial.validator.map {
          ResumableDownload.Prefix(
            validator: $0, byteCount: partial.byteCount,
            expectedByteCount: partial.expectedByteCount)
        }
      })
  }

  /// Whether the response is the rest of the kept prefix, so that the body is whole.
  var isJoined: Bool { action == .append }
  /// Whether long bodies are to be handed over while they arrive.
  var wantsChunks: Bool { store != nil || watcher != nil }
  /// The fields of a range request; empty without a kept prefix.
  var requestFields: HTTPFields { download.requestFields }
  var prefixByteCount: Int { download.prefix?.byteCount ?? 0 }

  mutating func receive(status: Int, fields: @autoclosure () -> HTTPFields, bytes: [UInt8]) throws {
    if action == nil {
      let fields = fields()
      try begin(download.judge(status: status, fields: fields), fields, opensPartial: true)
    }
    try add(bytes)
    show(bytes)
  }

  mutating func finish(
    status: Int, fields: HTTPFields, rest: [UInt8]
  ) throws -> FetchedBody {
    if action == nil {
      if partial == nil { return .bytes(rest) }
      try begin(download.judge(status: status, fields: fields), fields, opensPartial: false)
    }
    if partial == nil, memory.isEmpty { return .bytes(rest) }
    try add(rest)
    if action == .passOn { return .bytes(memory) }
    let byteCount = partial?.byteCount ?? memory.count
    if let expected = download.prefix?.expectedByteCount ?? partial?.expectedByteCount,
      byteCount != expected
    {
      if byteCount > expected { partial?.discard() }
      throw ImageError(.shortBody, "\(url): the body has \(byteCount) of \(expected) bytes")
    }
    guard let partial else { return .bytes(memory) }
    self.partial = nil
    return FetchedBody(partial.finish())
  }

  /// Keeps what a failed transfer brought, if a later one can continue it.
  mutating func keep(status: Int, fields: HTTPFields, rest: [UInt8]) {
    if action == nil, !rest.isEmpty {
      let judged = download.judge(status: status, fields: fields)
      let isContinuable =
        switch judged {
        case .append, .restart(.some): true
        case .restart(nil), .askAgain, .passOn: false
        }
      try? begin(judged, fields, opensPartial: isContinuable)
    }
    switch action {
    case .append, .restart(.some): try? add(rest)
    case .restart(nil): partial?.discard()
    case .askAgain, .passOn, nil: break
    }
    partial = nil
  }

  mutating func discard() {
    partial?.discard()
    partial = nil
  }

  private mutating func begin(
    _ judged: ResumableDownload.Action, _ fields: HTTPFields, opensPartial: Bool
  ) throws {
    action = judged
    if let watcher, judged != .passOn, judged != .askAgain {
      watcher.bodyBegan()
      expectedByteCount =
        download.prefix?.expectedByteCount ?? fields[.contentLength].flatMap { Int($0) }
    }
    switch judged {
    case .append, .passOn: break
    case .askAgain:
      discard()
      throw AskAgain()
    case .restart(let validator):
      if partial == nil, opensPartial, let resource {
        partial = (try? store?.openPartial(for: resource, sentWith: credentials)) ?? nil
      }
      guard opensPartial else { return discard() }
      let isEncoded = fields[.contentEncoding].map { $0 != "identity" } ?? false
      let length = isEncoded ? nil : fields[.contentLength].flatMap { Int($0) }
      do {
        try partial?.restart(validator: validator, expectedByteCount: length)
      } catch {
        // A full disk must not fail the fetch: the body stays in memory.
        discard()
      }
    }
  }

  /// Shows the watcher the new bytes; one that starts late gets all from the beginning.
  private func show(_ bytes: [UInt8]) {
    guard let watcher, action != .passOn, action != .askAgain else { return }
    let received = partial?.byteCount ?? memory.count
    var shown: [UInt8] = []
    if let position = watcher.wantedPosition, position < received {
      if position == received - bytes.count {
        shown = bytes
      } else if let all = partial.map({ try? $0.contents() }) ?? memory {
        shown = Array(all[position...])
      }
    }
    watcher.bodyGrew(to: received, of: expectedByteCount, bytes: shown)
  }

  private mutating func add(_ bytes: [UInt8]) throws {
    guard let partial, action != .passOn else {
      memory += bytes
      return
    }
    guard bytes.count <= maximumByteCount - partial.byteCount else {
      discard()
      throw ImageError(.tooLarge, "\(url): the body is larger than \(maximumByteCount) bytes")
    }
    do {
      try partial.append(bytes.span.bytes)
    } catch {
      // A full disk must not fail the fetch: it goes on in memory.
      memory = try partial.contents() + bytes
      discard()
    }
  }
}

/// Observes a body while it arrives: its length for a progress bar, its bytes for previews.
///
/// Called from one task at a time, on threads that may block; the transfer waits meanwhile. The
/// bytes are neither complete nor checked.
package protocol BodyWatching: Sendable {
  /// The position of the next byte to report, read before every chunk; `nil` for none.
  var wantedPosition: Int? { get }

  /// A body begins, the first one or that of a retry: discard what came before.
  func bodyBegan()

  /// The body grew; the bytes are those from ``wantedPosition`` on, and a resumed prefix counts.
  func bodyGrew(to receivedByteCount: Int, of expectedByteCount: Int?, bytes: [UInt8])
}
