import HTTPTypes
import Hummingbird
import ImagePipeline
import NIOCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An answer before it is written: a status, fields, and what follows.
struct Answer: Sendable {
  /// What follows the head.
  enum Body: Sendable {
    case none
    /// Bytes at hand.
    case bytes(ByteBuffer)
    /// A part of a file of the cache, read as the client takes it.
    case file(path: String, Range<Int>)
    /// What comes as it happens; its length is not known.
    case stream(@Sendable (inout any ResponseBodyWriter) async throws -> Void)
  }

  var status: HTTPResponse.Status
  var fields: HTTPFields
  var body: Body
  /// Bytes that are held for it until it is written.
  var reservation: MemoryGovernor.Reservation?

  init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: Body = .none) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// What is written at once: what comes after waits until the client has taken it.
  static let pieceByteCount = 64 << 10

  /// A small text that is made anew for everybody.
  static func text(
    _ text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok,
    cacheControl: String = "no-store"
  ) -> Answer {
    Answer(
      status: status, fields: [.contentType: type, .cacheControl: cacheControl],
      body: .bytes(ByteBuffer(string: text)))
  }

  /// A page whose bytes are its version: asked for again with its tag, it is 304.
  ///
  /// - Parameter policy: Its `Content-Security-Policy`. Default: nothing may be loaded.
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

  /// For the framework; to a `HEAD` without the body, with the length that it would have.
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
    case .file(_, let range): fields[.contentLength] = String(range.count)
    case .stream: fields[.transferEncoding] = isHead ? nil : "chunked"
    }
    // The framework puts the body's own length where there is none, and a HEAD has no body.
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
    case .file(let path, let range):
      let body = ResponseBody(contentLength: range.count) { writer in
        let file = try await executor.run { try OpenBodyFile(path: path) }
        try await file.write(range, to: &writer, executor: executor)
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
}

/// What every answer says to browsers: nothing here may be taken for something else, or run.
enum SafetyFields {
  static let contentTypeOptions = "nosniff"
  /// Nothing may be loaded, embedded or run from an answer that is no page.
  static let lockedDown =
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

  static func add(to fields: inout HTTPFields) {
    fields[.xContentTypeOptions] = contentTypeOptions
    if fields[.contentSecurityPolicy] == nil { fields[.contentSecurityPolicy] = lockedDown }
  }
}
