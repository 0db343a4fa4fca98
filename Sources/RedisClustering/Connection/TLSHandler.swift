import CTLS
import NIOCore

/// Certificates that are trusted, for the connections of one client, on its event loop.
final class TLSContext {
  fileprivate let context: OpaquePointer

  /// - Parameter trustedCertificates: A PEM file of certificates to trust; `nil` for the system's.
  /// - Throws: ``RedisError`` with code `connectionFailed` when the file cannot be read.
  init(trustedCertificates: String?) throws(RedisError) {
    var reason = TLSReason()
    guard let context = reason.fill({ ctls_context_make(trustedCertificates, $0) }) else {
      throw RedisError(
        .connectionFailed,
        "cannot read trusted certificates\(trustedCertificates.map { " from \($0)" } ?? ""): "
          + reason.text)
    }
    self.context = context
  }

  deinit { ctls_context_free(context) }
}

private struct TLSReason {
  private var bytes = [CChar](repeating: 0, count: Int(CTLS_ERROR_SIZE))

  mutating func fill<Result>(_ body: (UnsafeMutablePointer<CChar>?) -> Result) -> Result {
    bytes.withUnsafeMutableBufferPointer { body($0.baseAddress) }
  }

  var text: String {
    String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// TLS for the client of a connection, by OpenSSL: bytes are encrypted and decrypted in memory.
///
/// `channelActive` and writes go on after the handshake; a failure of it is an error of the channel.
final class TLSHandler: ChannelDuplexHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private let tls: OpaquePointer
  private var isReady = false
  private var held: [(ByteBuffer, EventLoopPromise<Void>?)] = []

  /// - Parameter host: The name or address for which the server's certificate must be valid.
  init(_ context: TLSContext, host: String) throws(RedisError) {
    guard let tls = ctls_make(context.context, host) else {
      throw RedisError(.connectionFailed, "no memory for TLS")
    }
    self.tls = tls
  }

  deinit { ctls_free(tls) }

  func channelActive(context: ChannelHandlerContext) { continueHandshake(context) }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    let isTaken = bytes.withUnsafeReadableBytes { raw in
      ctls_receive(tls, raw.baseAddress, raw.count)
    }
    guard isTaken else { return fail("no memory for TLS", context) }
    if !isReady { continueHandshake(context) }
    if isReady { decrypt(context) }
  }

  func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
    let bytes = unwrapOutboundIn(data)
    guard isReady else { return held.append((bytes, promise)) }
    encrypt(bytes, promise, context)
  }

  func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
    if isReady {
      ctls_end(tls)
      send(context, promise: nil)
    }
    context.close(mode: mode, promise: promise)
  }

  func channelInactive(context: ChannelHandlerContext) {
    for (_, promise) in held { promise?.fail(ChannelError.ioOnClosedChannel) }
    held = []
    context.fireChannelInactive()
  }

  // MARK: Steps

  private func continueHandshake(_ context: ChannelHandlerContext) {
    var reason = TLSReason()
    let status = reason.fill { ctls_handshake(tls, $0) }
    send(context, promise: nil)
    switch status {
    case .wantsBytes: return
    case .ended, .failed: return fail(reason.text, context)
    case .ok: break
    }
    isReady = true
    context.fireChannelActive()
    let waiting = held
    held = []
    for (bytes, promise) in waiting { encrypt(bytes, promise, context) }
    context.flush()
  }

  private func encrypt(
    _ bytes: ByteBuffer, _ promise: EventLoopPromise<Void>?, _ context: ChannelHandlerContext
  ) {
    guard bytes.readableBytes > 0 else {
      promise?.succeed()
      return
    }
    var reason = TLSReason()
    let status = reason.fill { reason in
      bytes.withUnsafeReadableBytes { ctls_write(tls, $0.baseAddress, $0.count, reason) }
    }
    guard status == .ok else {
      promise?.fail(RedisError(.connectionFailed, "TLS: \(reason.text)"))
      return fail(reason.text, context)
    }
    send(context, promise: promise)
  }

  private func decrypt(_ context: ChannelHandlerContext) {
    var reason = TLSReason()
    while true {
      var plain = context.channel.allocator.buffer(capacity: 16 << 10)
      var status = ctls_status.ok
      plain.writeWithUnsafeMutableBytes(minimumWritableBytes: 16 << 10) { room in
        var done = 0
        status = reason.fill { ctls_read(tls, room.baseAddress, room.count, &done, $0) }
        return done
      }
      if plain.readableBytes > 0 { context.fireChannelRead(wrapInboundOut(plain)) }
      switch status {
      case .ok: continue
      // A request to change keys is answered while bytes are read.
      case .wantsBytes: return send(context, promise: nil)
      case .ended: return context.close(promise: nil)
      case .failed: return fail(reason.text, context)
      }
    }
  }

  private func send(_ context: ChannelHandlerContext, promise: EventLoopPromise<Void>?) {
    let count = ctls_outgoing_count(tls)
    guard count > 0 else {
      promise?.succeed()
      return
    }
    var bytes = context.channel.allocator.buffer(capacity: count)
    bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { room in
      ctls_take_outgoing(tls, room.baseAddress, count)
    }
    context.writeAndFlush(wrapOutboundOut(bytes), promise: promise)
  }

  private func fail(_ reason: String, _ context: ChannelHandlerContext) {
    isReady = false
    context.fireErrorCaught(RedisError(.connectionFailed, "TLS: \(reason)"))
    context.close(mode: .all, promise: nil)
  }
}

/// The SHA-1 of a text, in hexadecimal digits: the name of a script.
func scriptDigest(of text: String) -> String {
  var digest = [UInt8](repeating: 0, count: 20)
  Array(text.utf8).withUnsafeBufferPointer { ctls_sha1($0.baseAddress, $0.count, &digest) }
  return digest.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
}
