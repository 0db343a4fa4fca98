public import HTTPTypes
import ImageModel
import NIOCore
import NIOHTTP1

extension HTTPField {
  /// A field of a request of a proxy, with the bytes of its value as they were received.
  public init(_ name: Name, received value: String) {
    self.init(name: name, value: value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
  }
}

/// Carries the bytes of fields and methods past NIO's parser and encoder, which replace what is not
/// UTF-8 and refuse or rename methods beyond the common ones.
///
/// Behind the parser and in front of the encoder, a head has a character of ISO 8859-1 for each
/// byte: ``Outer`` encodes them as UTF-8 before the parser and decodes them behind the encoder. In
/// place of another method the parser gets `POST`, and ``Place/received(_:)`` puts the method back.
/// Bodies are not changed; the parser determines where they end.
enum FieldBytes {
  /// The value of a field in the form in which it must be written.
  static func text(of field: HTTPField) -> String {
    field.withUnsafeBytesOfValue { bytes in
      bytes.allSatisfy { $0 < 0x80 }
        ? field.value : String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }
  }

  /// The message part to which the next bytes of a connection belong. The handlers of a channel
  /// share one, on its event loop.
  final class Place {
    enum Inbound {
      /// The next request, of which nothing but blank lines has come.
      case start
      case head
      /// A body with that many bytes still to come.
      case body(Int)
      /// A body in chunks, or its trailers.
      case chunks
    }
    fileprivate var inbound = Inbound.start
    fileprivate var method: String?
    fileprivate var isWritingHead = false

    /// Returns a part of a request that the parser gives, with the method that the client sent.
    func received(_ part: HTTPServerRequestPart) -> HTTPServerRequestPart {
      switch part {
      case .head(let head):
        if head.headers.contains(name: "Transfer-Encoding") {
          inbound = .chunks
        } else if let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }) {
          inbound = length > 0 ? .body(length) : .head
        }
        guard let method else { return part }
        self.method = nil
        var restored = head
        restored.method = HTTPMethod(rawValue: method)
        return .head(restored)
      case .body(let bytes):
        if case .body(let count) = inbound { inbound = .body(count - bytes.readableBytes) }
      case .end: inbound = .start
      }
      return part
    }
  }

  final class Outer: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let place: Place
    private var held: ByteBuffer?
    init(_ place: Place) { self.place = place }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var buffer = unwrapInboundIn(data)
      if var held {
        self.held = nil
        held.writeBuffer(&buffer)
        buffer = held
      }
      // Piece by piece: after each one the parser knows what the next belongs to.
      while buffer.readableBytes > 0 {
        switch place.inbound {
        case .start:
          guard let piece = start(of: &buffer) else { return held = buffer }
          context.fireChannelRead(wrapInboundOut(piece))
        case .head:
          let piece = buffer.readSlice(length: HeadBytes.end(in: buffer)) ?? ByteBuffer()
          context.fireChannelRead(wrapInboundOut(HeadBytes.widened(piece)))
        case .body(let count):
          let count = min(max(1, count), buffer.readableBytes)
          guard let piece = buffer.readSlice(length: count) else { return }
          context.fireChannelRead(wrapInboundOut(piece))
        case .chunks:
          let piece = buffer.readSlice(length: HeadBytes.endOfLine(in: buffer)) ?? ByteBuffer()
          context.fireChannelRead(wrapInboundOut(piece))
        }
      }
    }

    /// The blank lines before a request, or the rest of its head, if its method has arrived.
    private func start(of buffer: inout ByteBuffer) -> ByteBuffer? {
      let blank = buffer.readableBytesView.prefix { $0 == 0x0D || $0 == 0x0A }.count
      if blank > 0 { return buffer.readSlice(length: blank) }
      switch HeadBytes.method(in: buffer) {
      case .incomplete: return nil
      case .complete(let count) where HeadBytes.isReplaced(buffer, count):
        place.method = buffer.readString(length: count)
        place.inbound = .head
        return ByteBuffer(staticString: "POST")
      case .complete, .malformed:
        place.inbound = .head
        let piece = buffer.readSlice(length: HeadBytes.end(in: buffer)) ?? ByteBuffer()
        return HeadBytes.widened(piece)
      }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      guard place.isWritingHead else { return context.write(data, promise: promise) }
      context.write(wrapOutboundOut(HeadBytes.narrowed(unwrapOutboundIn(data))), promise: promise)
    }
  }

  final class Marker: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let place: Place
    init(_ place: Place) { self.place = place }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .head = unwrapOutboundIn(data) { place.isWritingHead = true }
      context.write(data, promise: promise)
      place.isWritingHead = false
    }
  }
}
