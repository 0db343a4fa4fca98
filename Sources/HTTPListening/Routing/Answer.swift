public import CachePolicies
public import DiskCaching
public import HTTPCaching
public import HTTPTypes
import ImageModel
public import NIOCore

/// A response before it is written: a status, fields and a body.
public struct Answer: Sendable {
  /// The body of a response.
  public enum Body: Sendable {
    /// Nothing.
    case none
    /// Bytes in memory.
    case bytes(ByteBuffer)
    /// Parts of a file of the cache, read as fast as the client reads.
    case file(BodyFile, ByteRangeParts)
    /// A stream of unknown length, written in pieces.
    case stream(@Sendable (_ write: (ByteBuffer) async throws -> Void) async throws -> Void)

    var byteCount: Int {
      switch self {
      case .none, .stream: 0
      case .bytes(let bytes): bytes.readableBytes
      case .file(_, let parts): parts.byteCount
      }
    }
  }

  /// The status.
  public var status: HTTPResponse.Status
  /// The fields; its length and the fields that lock it down are added.
  public var fields: HTTPFields
  /// The body.
  public var body: Body
  /// The bytes reserved for it until it is written.
  public var reservation: MemoryGovernor.Reservation?
  var problem: String?
  /// The threads that read a file; `nil` for those of the caller.
  var executor: (any TaskExecutor)?

  /// Creates a response.
  public init(status: HTTPResponse.Status = .ok, fields: HTTPFields = [:], body: Body = .none) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// A small text, made for each request.
  public static func text(
    _ text: String, type: String = "text/plain; charset=utf-8", status: HTTPResponse.Status = .ok
  ) -> Answer {
    Answer(
      status: status, fields: [.contentType: type, .cacheControl: "no-store"],
      body: .bytes(ByteBuffer(string: text)))
  }

  /// A page whose entity tag is the hash of its bytes: a request with that tag gets a 304. Its
  /// `Content-Security-Policy` is `policy`. Default: one that forbids everything.
  public static func page(
    _ bytes: [UInt8], type: String, for request: RoutedRequest, policy: String? = nil
  ) -> Answer {
    let hash = bytes.withUnsafeBytes { SHA256.hash(of: $0) }
    var fields: HTTPFields = [
      .contentType: type, .cacheControl: "no-cache", .eTag: "\"\(hash.hex.prefix(32))\"",
    ]
    fields[.contentSecurityPolicy] = policy
    let stored = StoredResponse(
      status: 200, fields: fields, requestTime: .distantPast, responseTime: .distantPast,
      byteCount: bytes.count)
    var asked = HTTPCacheRequest(method: request.method.rawValue, fields: request.fields)
    asked.fields[.range] = nil
    let presented = HTTPPresentation(
      stored, for: asked, at: .distantPast,
      profile: CacheProfile(isShared: true))
    fields = presented.fields
    fields[.age] = nil
    guard presented.status == 200 else { return Answer(status: .notModified, fields: fields) }
    return Answer(fields: fields, body: .bytes(ByteBuffer(bytes: bytes)))
  }

  /// Allows a page to load from this server only, and no script or style inside a page.
  static let sitePolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    + "connect-src 'self'; manifest-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// A page of a site of pages, or a file of one, as ``page(_:type:for:policy:)``: it
  /// may load files and addresses of this server, and no other origin learns of it.
  public static func site(
    _ bytes: [UInt8], type: String = "text/html; charset=utf-8", for request: RoutedRequest
  ) -> Answer {
    var answer = page(bytes, type: type, for: request, policy: sitePolicy)
    for (name, value) in [
      ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
      ("Cross-Origin-Resource-Policy", "same-origin"),
    ] {
      if let name = HTTPField.Name(name) { answer.fields[name] = value }
    }
    return answer
  }

  /// Writes it, to a `HEAD` without the body, on a thread that may wait for a disk.
  func write(to writer: ResponseWriter) async throws {
    try await writer.begin(status.code, framedFields)
    if writer.hasBody { try await writeBody { try await writer.write($0) } }
    try await writer.end()
  }

  /// The fields, with its length if that is known and those that lock it down.
  var framedFields: HTTPFields {
    var fields = fields
    fields.addSafety()
    switch body {
    case .none:
      if fields[.contentLength] == nil, status != .noContent, status != .notModified {
        fields[.contentLength] = "0"
      }
    case .bytes, .file: fields[.contentLength] = String(body.byteCount)
    case .stream: break
    }
    return fields
  }

  /// Writes the body in pieces of at most 64 KiB.
  ///
  /// - Parameter write: Writes bytes; the next piece is read when it returns.
  /// - Throws: `ImageError` with code `fileUnreadable` for a body that ends early, or what `write`
  ///   throws.
  public func writeBody(to write: (ByteBuffer) async throws -> Void) async throws {
    switch body {
    case .none: break
    case .bytes(var rest):
      while let piece = rest.readSlice(
        length: min(ResponseWriter.pieceByteCount, rest.readableBytes)),
        piece.readableBytes > 0
      {
        try await write(piece)
      }
    case .file(let file, let parts):
      try await withTaskExecutorPreference(executor) {
        try await parts.write(to: write) { try Self.piece(of: file, $0) }
      }
    case .stream(let stream): try await stream(write)
    }
    withExtendedLifetime(reservation) {}
  }

  private static func piece(of file: BodyFile, _ rest: Range<Int>) throws -> ByteBuffer {
    let count = min(rest.count, ResponseWriter.pieceByteCount)
    var piece = ByteBufferAllocator().buffer(capacity: count)
    try piece.writeWithUnsafeMutableBytes(minimumWritableBytes: count) {
      try file.read(into: .init(rebasing: $0[..<count]), at: rest.lowerBound)
    }
    guard piece.readableBytes > 0 else {
      throw ImageError(.fileUnreadable, "a cached file is shorter than its record")
    }
    return piece
  }
}
