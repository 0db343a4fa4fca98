import HTTPTypes
import ImageModel
import NIOCore
import NIOHTTP1

/// Carries the bytes of fields past NIO's parser and encoder, which replace what is not UTF-8.
///
/// Between the two handlers that ``install(in:)`` adds, a head has a character of ISO 8859-1 for
/// each byte: the outer one encodes them as UTF-8 before the parser and decodes them behind the
/// encoder. Bodies are not changed; the parser tells where they end.
enum FieldBytes {
  /// Adds the handlers to a channel whose parser, encoder and pipelining handler are in place.
  static func install(in pipeline: ChannelPipeline.SynchronousOperations) throws {
    let place = Place()
    try pipeline.addHandler(Outer(place), position: .first)
    let pipelining = try pipeline.handler(type: HTTPServerPipelineHandler.self)
    try pipeline.addHandler(Inner(place), position: .before(pipelining))
  }

  /// The bytes of a value as they were received.
  static func bytes(of value: String) -> [UInt8] {
    value.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
  }

  /// A value as it has to be written.
  static func text(of field: HTTPField) -> String {
    field.withUnsafeBytesOfValue { bytes in
      bytes.allSatisfy { $0 < 0x80 }
        ? field.value : String(String.UnicodeScalarView(bytes.map { UnicodeScalar($0) }))
    }
  }

  /// What the next bytes of a connection belong to. Both handlers of a channel share one, on its
  /// event loop.
  private final class Place {
    enum Inbound {
      case head
      /// A body with that many bytes still to come.
      case body(Int)
      /// A body in chunks, or its trailers.
      case chunks
    }
    var inbound = Inbound.head
    var isWritingHead = false
  }

  /// The handler next to the socket.
  private final class Outer: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let place: Place
    init(_ place: Place) { self.place = place }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      var buffer = unwrapInboundIn(data)
      guard buffer.readableBytesView.contains(where: { $0 >= 0x80 }) else {
        return context.fireChannelRead(data)
      }
      // Piece by piece: after each one the parser knows what the next belongs to.
      while buffer.readableBytes > 0 {
        switch place.inbound {
        case .head: context.fireChannelRead(wrapInboundOut(widened(line(of: &buffer))))
        case .body(let count):
          let count = min(max(1, count), buffer.readableBytes)
          guard let piece = buffer.readSlice(length: count) else { return }
          context.fireChannelRead(wrapInboundOut(piece))
        case .chunks: context.fireChannelRead(wrapInboundOut(line(of: &buffer)))
        }
      }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      guard place.isWritingHead else { return context.write(data, promise: promise) }
      context.write(wrapOutboundOut(narrowed(unwrapOutboundIn(data))), promise: promise)
    }

    /// The bytes through the next end of a line, or all there are.
    private func line(of buffer: inout ByteBuffer) -> ByteBuffer {
      let view = buffer.readableBytesView
      let count =
        view.firstIndex(of: UInt8(ascii: "\n")).map { $0 - view.startIndex + 1 } ?? view.count
      return buffer.readSlice(length: count) ?? ByteBuffer()
    }

    /// Encodes ISO 8859-1 as UTF-8.
    private func widened(_ line: ByteBuffer) -> ByteBuffer {
      guard line.readableBytesView.contains(where: { $0 >= 0x80 }) else { return line }
      var wide = ByteBuffer()
      for byte in line.readableBytesView {
        if byte >= 0x80 { wide.writeInteger(0xC0 | byte >> 6) }
        wide.writeInteger(byte < 0x80 ? byte : 0x80 | byte & 0x3F)
      }
      return wide
    }

    /// Decodes UTF-8 to ISO 8859-1.
    private func narrowed(_ head: ByteBuffer) -> ByteBuffer {
      guard head.readableBytesView.contains(where: { $0 >= 0x80 }) else { return head }
      var narrow = ByteBuffer()
      var lead: UInt8?
      for byte in head.readableBytesView {
        if let first = lead {
          narrow.writeInteger(first << 6 | byte & 0x3F)
          lead = nil
        } else if byte >= 0x80 {
          lead = byte
        } else {
          narrow.writeInteger(byte)
        }
      }
      return narrow
    }
  }

  /// The handler behind parser and encoder.
  private final class Inner: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let place: Place
    init(_ place: Place) { self.place = place }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head(let head):
        if head.headers.contains(name: "Transfer-Encoding") {
          place.inbound = .chunks
        } else if let length = head.headers.first(name: "Content-Length").flatMap({ Int($0) }) {
          place.inbound = length > 0 ? .body(length) : .head
        }
      case .body(let bytes):
        if case .body(let count) = place.inbound {
          place.inbound = .body(count - bytes.readableBytes)
        }
      case .end: place.inbound = .head
      }
      context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      if case .head = unwrapOutboundIn(data) { place.isWritingHead = true }
      context.write(data, promise: promise)
      place.isWritingHead = false
    }
  }
}
