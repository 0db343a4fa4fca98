import ImageFetching
import ImageModel
import ThumbnailServer

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Reads the status of a server.
struct TopSource: Sendable {
  /// The most bytes of a status.
  private static let maximumByteCount = 1 << 20
  /// The most bytes of the path of a Unix socket.
  private static let maximumSocketPathByteCount =
    MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1

  /// The server's address, as it is shown.
  let address: String
  private let url: String
  private let isSocket: Bool
  private let fetcher: HTTPFetcher

  /// - Parameters:
  ///   - text: The server's URL, or that of its page, or `unix:` and the path of its socket.
  ///   - key: The secret to send; `nil` for none.
  ///   - certificates: Those that the server may prove itself by. Default: the system's.
  /// - Throws: ``ImageError`` with code `invalidArgument` for another address, or for a key that cannot
  ///   be sent.
  init(
    _ text: String, key: [UInt8]?, certificates: TrustedCertificates = TrustedCertificates()
  ) throws(ImageError) {
    let socket = text.hasPrefix("unix:") ? String(text.dropFirst("unix:".count)) : nil
    if let socket, !(1...Self.maximumSocketPathByteCount).contains(socket.utf8.count) {
      throw ImageError(
        .invalidArgument,
        "\(text): the path of a Unix socket has 1 through \(Self.maximumSocketPathByteCount) bytes")
    }
    guard let url = WebURL(socket == nil ? text : "http://localhost") else {
      throw ImageError(
        .invalidArgument,
        "\(text) is not the address of a server; write http://HOST:PORT or unix:PATH")
    }
    var path = String(url.target.prefix { $0 != "?" })
    for end in ["/", "/status.json", "/status", "/"] where path.hasSuffix(end) {
      path.removeLast(end.count)
    }
    let base = url.origin + path
    address = socket == nil ? base : text
    isSocket = socket != nil
    self.url = "\(base)/status.json"
    var configuration = HTTPFetcher.Configuration()
    configuration.unixSocket = socket
    configuration.certificates = certificates
    configuration.hostGuard = HostGuard(exempting: [self.url])
    if let key {
      // Not as a field of the request: a message never contains these.
      configuration.originHeaders = try OriginHeaders([
        "\(url.host):\(url.port): Authorization: Bearer \(String(decoding: key, as: UTF8.self))"
      ])
    }
    fetcher = try HTTPFetcher(configuration)
  }

  /// Reads once.
  ///
  /// - Throws: ``ImageError`` when the server cannot be reached, refuses, or is another one.
  func status() async throws -> ServerStatus {
    var request = FetchRequest(url: url)
    request.returnsEveryStatus = true
    request.maximumRetryCount = 0
    request.limits.maximumByteCount = Self.maximumByteCount
    request.limits.maximumRedirectCount = 0
    request.limits.connectTime = .seconds(5)
    request.limits.totalTime = .seconds(15)
    let response: FetchedResponse
    do {
      response = try await fetcher.fetch(request)
    } catch let error as ImageError where isSocket && error.code == .connectionFailed {
      throw ImageError(error.code, "\(address): no server accepts connections there")
    }
    switch response.head.status {
    case 200:
      return try ServerStatus(
        json: try response.body.withBytes { bytes in
          bytes.withUnsafeBytes { Array($0) }
        })
    case 401, 403:
      throw ImageError(
        .httpStatus, "\(address) needs a key of its --admin-key-file; name one by --admin-key-file")
    case let status:
      throw ImageError(
        .httpStatus,
        "\(address) responded with status \(status); is it imgcache serve?")
    }
  }
}
