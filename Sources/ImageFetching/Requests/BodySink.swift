import HTTPTypes
import ImageModel

/// Receives a body: in memory while it is short, in a file if it is long or slow or continues a
/// kept prefix. What a failed transfer brought stays for the next attempt if that can continue it.
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
  private let progress: (any BodyWatching)?
  private var download = ResumableDownload(prefix: nil)
  private var partial: (any PartialBody)?
  private var action: ResumableDownload.Action?
  private var memory: [UInt8] = []

  /// Creates a sink for the body of a URL; call ``open(_:)`` before each request. Without a store
  /// everything stays in memory, and nothing is kept after a failure.
  init(
    url: String, maximumByteCount: Int, store: (any PartialBodyStoring)?,
    progress: (any BodyWatching)? = nil
  ) {
    self.url = url
    self.progress = progress
    self.maximumByteCount = maximumByteCount
    self.store = store
  }

  /// Opens the kept prefix of a resource: the URL, or one that it redirects to. That of another one
  /// is left as it is, and one that was fetched with other credentials is discarded.
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
  var wantsChunks: Bool { store != nil || progress != nil }
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

  mutating func finish(status: Int, fields: HTTPFields, rest: [UInt8]) throws -> FetchedBody {
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
      throw ImageError(
        .shortBody, "\(url): the body has \(byteCount) of \(expected) bytes", url: url)
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
    if judged != .passOn, judged != .askAgain {
      progress?.began(
        expectedByteCount: download.prefix?.expectedByteCount
          ?? fields[.contentLength].flatMap { Int($0) })
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

  private func show(_ bytes: [UInt8]) {
    guard let progress, action != .passOn, action != .askAgain else { return }
    let received = partial?.byteCount ?? memory.count
    progress.grew(to: received) { position in
      if position == received - bytes.count { return bytes }
      let all = partial.map { (try? $0.contents()) ?? [] } ?? memory
      return Array(all.dropFirst(position))
    }
  }

  private mutating func add(_ bytes: [UInt8]) throws {
    guard let partial, action != .passOn else {
      memory += bytes
      return
    }
    guard bytes.count <= maximumByteCount - partial.byteCount else {
      discard()
      throw ImageError(
        .tooLarge, "\(url): the body is larger than \(maximumByteCount) bytes", url: url)
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

/// Receives a body while it arrives: its length for a progress bar, its bytes for previews.
///
///     request.progress?.began(expectedByteCount: 81_274)
///     for try await chunk in chunks {
///       body += chunk
///       request.progress?.grew(to: body)
///     }
///
/// Called from one task at a time. The calls may block, for example to decode a preview. The bytes
/// are neither complete nor checked.
public protocol BodyWatching: Sendable {
  /// A body begins, the first one or that of a retry, which replaces what came before.
  ///
  /// - Parameter expectedByteCount: The length of the whole; `nil` if it is not known.
  func began(expectedByteCount: Int?)

  /// The body grew. ``grew(to:)`` does for a body in one array.
  ///
  /// - Parameters:
  ///   - byteCount: The bytes so far, those of a resumed transfer included.
  ///   - bytes: Returns the bytes so far from a position on, which is at most `byteCount`. Called at
  ///     most once, and only where they are needed.
  func grew(to byteCount: Int, bytes: (_ position: Int) -> [UInt8])
}

extension BodyWatching {
  /// The body grew.
  ///
  /// - Parameter body: All bytes so far, not only the new ones.
  public func grew(to body: [UInt8]) {
    grew(to: body.count) { Array(body.dropFirst($0)) }
  }
}
