import CachePolicies
import DiskCaching
import HTTPCaching
import HTTPListening
import HTTPTypes
import Hummingbird
import ImageModel
import LoadScheduling
import NIOCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A response before it is written: a status, fields and a body.
struct Answer: Sendable {
  /// The body of a response.
  enum Body: Sendable {
    case none
    /// Bytes in memory.
    case bytes(ByteBuffer)
    /// Parts of a file of the cache, read as fast as the client reads.
    case file(path: String, ByteRangeParts)
    /// A stream of unknown length.
    case stream(@Sendable (inout any ResponseBodyWriter) async throws -> Void)
  }

  var status: HTTPResponse.Status
  var fields: HTTPFields
  var body: Body
  /// The bytes reserved for it until it is written.
  var reservation: MemoryGovernor.Reservation?

  init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: Body = .none) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The bytes written at once; the next piece waits until the client has read them.
  static let pieceByteCount = 64 << 10

  /// A small text, made for each request.
  static func text(
    _ text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok,
    cacheControl: String = "no-store"
  ) -> Answer {
    Answer(
      status: status, fields: [.contentType: type, .cacheControl: cacheControl],
      body: .bytes(ByteBuffer(string: text)))
  }

  /// A page whose entity tag is the hash of its bytes: a request with that tag gets a 304.
  ///
  /// - Parameter policy: Its `Content-Security-Policy`. Default: one that forbids everything.
  static func page(
    _ bytes: [UInt8], type: String, for request: Request, cacheControl: String = "no-cache",
    policy: String? = nil
  ) -> Answer {
    let hash = bytes.withUnsafeBytes { SHA256.hash(of: $0) }
    var fields: HTTPFields = [
      .contentType: type, .cacheControl: cacheControl, .eTag: "\"\(hash.hex.prefix(32))\"",
    ]
    fields[.contentSecurityPolicy] = policy
    let stored = StoredResponse(
      status: 200, fields: fields, requestTime: .distantPast, responseTime: .distantPast,
      byteCount: bytes.count)
    var asked = HTTPCacheRequest(method: request.method.rawValue, fields: request.headers)
    asked.fields[.range] = nil
    let presented = HTTPPresentation(stored, for: asked, at: .distantPast, isShared: true)
    fields = presented.fields
    fields[.age] = nil
    guard presented.status == 200 else { return Answer(status: .notModified, fields: fields) }
    return Answer(fields: fields, body: .bytes(ByteBuffer(bytes: bytes)))
  }

  /// The response in Hummingbird's type; to a `HEAD` without the body, but with its length.
  ///
  /// - Parameter executor: Threads that may wait for a disk.
  func response(isHead: Bool, executor: BlockingExecutor) -> Response {
    var fields = fields
    SafetyFields.add(to: &fields)
    switch body {
    case .none:
      if fields[.contentLength] == nil, status.code >= 200, status != .noContent,
        status != .notModified
      {
        fields[.contentLength] = "0"
      }
    case .bytes(let bytes): fields[.contentLength] = String(bytes.readableBytes)
    case .file(_, let parts): fields[.contentLength] = String(parts.byteCount)
    case .stream: fields[.transferEncoding] = isHead ? nil : "chunked"
    }
    // Hummingbird adds the length of the body, which is 0 for a HEAD.
    if isHead {
      guard case .stream = body else { return Response(status: status, headers: fields) }
      return Response(
        status: status, headers: fields, body: ResponseBody { try await $0.finish(nil) })
    }
    switch body {
    case .none: return Response(status: status, headers: fields)
    case .bytes(let bytes) where bytes.readableBytes <= Self.pieceByteCount:
      return Response(status: status, headers: fields, body: ResponseBody(byteBuffer: bytes))
    case .bytes(let bytes):
      let body = ResponseBody(contentLength: bytes.readableBytes) { [reservation] writer in
        var rest = bytes
        while let piece = rest.readSlice(length: min(Self.pieceByteCount, rest.readableBytes)),
          piece.readableBytes > 0
        {
          try await writer.write(piece)
        }
        try await writer.finish(nil)
        withExtendedLifetime(reservation) {}
      }
      return Response(status: status, headers: fields, body: body)
    case .file(let path, let parts):
      let body = ResponseBody(contentLength: parts.byteCount) { writer in
        try await Self.send(path, parts, executor, to: &writer)
        try await writer.finish(nil)
      }
      return Response(status: status, headers: fields, body: body)
    case .stream(let write):
      let body = ResponseBody { writer in
        try await write(&writer)
        try await writer.finish(nil)
      }
      return Response(status: status, headers: fields, body: body)
    }
  }

  /// Sends parts of a file in pieces, so that a slow client costs no memory.
  private static func send(
    _ path: String, _ parts: ByteRangeParts, _ executor: BlockingExecutor,
    to writer: inout any ResponseBodyWriter
  ) async throws {
    let file = try await executor.run {
      guard let file = BodyFile(path: path) else {
        throw ImageError(.fileUnreadable, "cannot open \(path): it may have been evicted")
      }
      return file
    }
    for part in parts.parts {
      if !part.head.isEmpty { try await writer.write(ByteBuffer(string: part.head)) }
      var rest = part.bytes
      while !rest.isEmpty {
        let (offset, count) = (rest.lowerBound, min(rest.count, pieceByteCount))
        let piece = try await executor.run {
          var piece = ByteBufferAllocator().buffer(capacity: count)
          try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: count) {
            try file.read(into: .init(rebasing: $0[..<count]), at: offset)
          }
          return piece
        }
        guard piece.readableBytes > 0 else {
          throw ImageError(.fileUnreadable, "a cached file is shorter than its record")
        }
        try await writer.write(piece)
        rest = offset + piece.readableBytes..<part.bytes.upperBound
      }
    }
    if !parts.end.isEmpty { try await writer.write(ByteBuffer(string: parts.end)) }
  }
}
