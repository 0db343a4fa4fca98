import CCurl
import ImageModel

/// libcurl's multi handle. All but the ``waker`` belongs to the thread that made it.
struct CurlMulti: ~Copyable {
  private let pointer: OpaquePointer

  init(_ configuration: CurlEngine.Configuration) throws(ImageError) {
    let connectTo = configuration.connectTo.map { Array("\($0.key):\($0.value)".utf8) }
    var made: OpaquePointer?
    withCStrings(connectTo) { lines, count in
      configuration.userAgent.withCString { userAgent in
        let trust = configuration.certificates
        withOptionalCStrings([configuration.proxy, trust.file, trust.directory]) { texts in
          trust.additional.withUnsafeBufferPointer { additional in
            var options = ccurl_options(
              max_idle_connections: configuration.maximumTransfers,
              max_host_connections: configuration.maximumConnectionsPerHost ?? 0,
              max_idle_seconds: Int(
                clamping: configuration.maximumIdleTime.bounded.components.seconds),
              proxy: texts[0], ca_file: texts[1], ca_path: texts[2],
              certificates: trust.additional.isEmpty ? nil : additional.baseAddress,
              certificate_bytes: additional.count, user_agent: userAgent, connect_to: lines,
              connect_to_count: count,
              address_check: { address, count in
                HostGuard.isPublic(UnsafeBufferPointer(start: address, count: count))
              },
              head_check: { head, count, reason, capacity in
                let head = UnsafeBufferPointer(start: head, count: count)
                guard let fault = HeadCheck.fault(in: head) else { return true }
                let words = fault.utf8.prefix(capacity - 1)
                for (place, byte) in words.enumerated() { reason[place] = CChar(bitPattern: byte) }
                reason[words.count] = 0
                return false
              })
            made = ccurl_multi_new(&options)
          }
        }
      }
    }
    guard let made else { throw ImageError(.outOfMemory, "out of memory for libcurl") }
    pointer = made
  }

  deinit { ccurl_multi_free(pointer) }

  /// Wakes the thread that waits, from any thread while the handle lives.
  var waker: @Sendable () -> Void {
    let multi = SharedPointer(pointer)
    return { ccurl_wakeup(multi.pointer) }
  }

  /// Body bytes that may still come before transfers pause; `Int64.max` for no limit.
  var allowance: Int64 {
    get { ccurl_allowance(pointer) }
    nonmutating set { ccurl_set_allowance(pointer, newValue) }
  }

  func perform() { _ = ccurl_perform(pointer) }

  func wait(milliseconds: Int32) { ccurl_poll(pointer, milliseconds) }

  /// A transfer for later use; `nil` without memory.
  func makeTransfer() -> CurlTransfer? { ccurl_transfer_new(pointer).map(CurlTransfer.init) }

  /// Starts a transfer; `false` without memory or for a URL that libcurl cannot read.
  func start(_ transfer: CurlTransfer, _ request: TransferRequest) -> Bool {
    withCStrings(request.fieldLines) { headers, count in
      withCStrings(request.cookies) { cookies, cookieCount in
        request.url.withCString { url in
          request.method.withCString { method in
            let signature = request.signature
            return withOptionalCStrings([
              request.passage?.target, request.netrcFile, signature?.scope,
              signature?.credentials.accessKey, signature?.credentials.secretKey,
            ]) { texts in
              var wanted = ccurl_request(
                url: url, method: method, headers: headers, header_count: count, cookies: cookies,
                cookie_count: cookieCount, body: nil, body_count: 0,
                max_body: Int64(request.limits.maximumByteCount), buffer_limit: request.bufferLimit,
                accepts_compression: request.acceptsCompression,
                keeps_coding: request.keepsContentEncoding, any_address: request.allowsAnyAddress,
                is_verbatim: request.passage != nil, target: texts[0], netrc_file: texts[1],
                streams_body: request.passage?.body != nil,
                body_length: Int64(request.passage?.bodyByteCount ?? -1),
                needs_new_connection: request.passage?.mustNotRepeat ?? false,
                signature: texts[2], access_key: texts[3], secret_key: texts[4])
              guard let bytes = request.body else {
                return ccurl_start(pointer, transfer.pointer, &wanted)
              }
              wanted.body_count = bytes.count
              // An empty body has an address as well.
              return (bytes.isEmpty ? [0] : bytes).withUnsafeBufferPointer { buffer in
                wanted.body = buffer.baseAddress
                return ccurl_start(pointer, transfer.pointer, &wanted)
              }
            }
          }
        }
      }
    }
  }

  func nextFinished() -> CurlTransfer? { ccurl_next_finished(pointer).map(CurlTransfer.init) }

  func stop(_ transfer: CurlTransfer) { ccurl_stop(pointer, transfer.pointer) }
}

/// A transfer of libcurl, reusable; belongs to the thread of its ``CurlMulti``.
struct CurlTransfer {
  fileprivate let pointer: UnsafeMutablePointer<ccurl_transfer>

  var tag: UInt64 {
    get { pointer.pointee.tag }
    nonmutating set { pointer.pointee.tag = newValue }
  }
  var isPaused: Bool { pointer.pointee.is_paused }
  var isHeadWhole: Bool { pointer.pointee.is_head_whole }
  /// Whether the connection has agreed on HTTP/2; where that is not known, only the head tells.
  var isMultiplexed: Bool { pointer.pointee.is_multiplexed }
  var status: Int { Int(pointer.pointee.status) }
  var receivedByteCount: Int { Int(pointer.pointee.received) }
  var bufferedByteCount: Int { pointer.pointee.body.count }
  var contentLength: Int? {
    pointer.pointee.content_length < 0 ? nil : Int(pointer.pointee.content_length)
  }
  /// Times of ``now()``, in nanoseconds; 0 for what has not happened.
  var addedAt: Int64 { pointer.pointee.added_at }
  var connectingAt: Int64 { pointer.pointee.connecting_at }
  var sentAt: Int64 { pointer.pointee.sent_at }
  var headAt: Int64 { pointer.pointee.head_at }
  var errorText: String {
    withUnsafePointer(to: &pointer.pointee.error_text) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
  }

  var failure: CurlFailure? {
    let code = pointer.pointee.result_code
    return code == 0 ? nil : CurlFailure(code: code, description: errorText)
  }

  var head: [UInt8] { Self.copy(pointer.pointee.head) }

  func drainBody() -> [UInt8] {
    defer { ccurl_body_taken(pointer) }
    return Self.copy(pointer.pointee.body)
  }

  var cookies: [[UInt8]] {
    Self.copy(pointer.pointee.cookies).split(separator: UInt8(ascii: "\n")).map(Array.init)
  }

  func resume() { ccurl_resume(pointer) }

  var hasInterim: Bool { pointer.pointee.interim.count > 0 }

  func drainInterim() -> [UInt8] {
    defer { ccurl_interim_taken(pointer) }
    return Self.copy(pointer.pointee.interim)
  }

  var unsentByteCount: Int { pointer.pointee.unsent }
  var uploadedByteCount: Int { Int(pointer.pointee.uploaded) }
  var isBodyGiven: Bool { pointer.pointee.is_body_given }

  /// Adds bytes to a streamed request body; `nil` ends it. `false` without memory.
  func give(_ bytes: [UInt8]?) -> Bool {
    guard let bytes else {
      ccurl_body_end(pointer)
      return true
    }
    return ccurl_body_give(pointer, bytes, bytes.count)
  }

  func free() { ccurl_transfer_free(pointer) }

  /// How it ended; only for one that ``CurlMulti/nextFinished()`` returned.
  var outcome: TransferResult.Outcome {
    switch pointer.pointee.outcome {
    case .complete: .complete
    case .url: .badURL
    case .name: .nameNotResolved
    case .proxyName: .proxyNotResolved
    case .connect: .connectionFailed
    case .refused: .addressRefused
    case .tls: .tlsFailed
    case .timeout: .timedOut
    case .reset: .reset
    case .short: .shortBody
    case .tooLarge: .tooLarge
    case .protocol: .protocolError
    case .memory: .outOfMemory
    case .other: .other
    }
  }

  /// Nanoseconds of a clock that never goes back.
  static func now() -> Int64 { ccurl_now() }

  private static func copy(_ bytes: ccurl_bytes) -> [UInt8] {
    [UInt8](UnsafeBufferPointer(start: bytes.start, count: bytes.count))
  }
}

private func withCStrings<Result>(
  _ texts: [[UInt8]], _ body: (UnsafePointer<UnsafePointer<CChar>?>?, Int) -> Result
) -> Result {
  var bytes: [CChar] = []
  var starts: [Int] = []
  for text in texts {
    starts.append(bytes.count)
    bytes.append(contentsOf: text.lazy.map { CChar(bitPattern: $0) })
    bytes.append(0)
  }
  return bytes.withUnsafeBufferPointer { bytes in
    let pointers = starts.map { bytes.baseAddress?.advanced(by: $0) }
    return pointers.withUnsafeBufferPointer { body($0.baseAddress, $0.count) }
  }
}

private func withOptionalCStrings<Result>(
  _ texts: [String?], _ body: ([UnsafePointer<CChar>?]) -> Result
) -> Result {
  func add(_ rest: ArraySlice<String?>, to found: [UnsafePointer<CChar>?]) -> Result {
    guard let text = rest.first else { return body(found) }
    return text.map { $0.withCString { add(rest.dropFirst(), to: found + [$0]) } }
      ?? add(rest.dropFirst(), to: found + [nil])
  }
  return add(texts[...], to: [])
}
