import Foundation
import HTTPTypes
import Testing

@testable import ImagePipeline

/// HTTP/2 over TLS, against an nginx with a self-signed certificate. Where nginx
/// or openssl is absent the suite is reported as skipped.
@Suite(.enabled(if: TLSOrigin.isPossible, "needs nginx and openssl"))
struct `Over TLS` {
  @Test func `many fetches share one HTTP/2 connection, and an untrusted certificate is refused`()
    async throws
  {
    let origin = try TLSOrigin()
    defer { origin.stop() }
    let (url, certificate) = (origin.url, origin.certificate)
    let trusting = try FetcherFixture {
      $0.certificateFile = certificate
      $0.retryPolicy.firstDelay = .milliseconds(20)
      $0.retryPolicy.maximumDelay = .milliseconds(20)
      $0.clock.sleep = { try await Task.sleep(for: $0) }
    }
    let doubting = try FetcherFixture()

    // The first is retried until nginx listens.
    let first = try await trusting.fetch(url) { $0.maximumRetryCount = 500 }
    let connections = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 0..<20 {
        group.addTask { try await trusting.fetch(url).head.fields[Self.connection] }
      }
      return try await group.reduce(into: Set<String?>()) { $0.insert($1) }
    }
    let error = await doubting.failure(of: url)

    #expect(first.body.text == "over HTTP/2.0")
    #expect(connections.count == 1)
    #expect(error?.code == .tlsFailed)
  }

  private static let connection = HTTPField.Name("X-Connection") ?? .via
}

/// An nginx on loopback that serves HTTP/2 over TLS and reports the protocol and the connection of
/// each request.
private final class TLSOrigin {
  private static let nginx = find("nginx")
  private static let openssl = find("openssl")
  static var isPossible: Bool { nginx != nil && openssl != nil }

  let certificate: String
  let url: String
  private let folder: URL
  private let process = Process()

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "tls-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    certificate = folder.path + "/cert.pem"
    // On its own address, so that it never conflicts with another test's port; macOS has only one.
    #if os(Linux)
      let host =
        "127.\(Int.random(in: 1...254)).\(Int.random(in: 1...254)).\(Int.random(in: 1...254))"
    #else
      let host = "127.0.0.1"
    #endif
    let port = Int.random(in: 20_000..<30_000)
    url = "https://\(host):\(port)/"
    let maker = Process()
    maker.executableURL = Self.openssl
    maker.arguments = [
      "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=\(host)",
      "-addext", "subjectAltName=IP:\(host)", "-keyout", folder.path + "/key.pem", "-out",
      certificate,
    ]
    maker.standardError = FileHandle.nullDevice
    try maker.run()
    maker.waitUntilExit()
    let places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
      .map { "\($0)_temp_path \(folder.path)/\($0);" }.joined(separator: " ")
    let text = """
      daemon off; pid \(folder.path)/pid; error_log \(folder.path)/log; events {}
      http { access_log off; \(places)
        server { listen \(host):\(port) ssl http2; ssl_certificate cert.pem; ssl_certificate_key key.pem;
          location / { add_header X-Connection $connection; return 200 "over $server_protocol"; } } }
      """
    try text.write(toFile: folder.path + "/nginx.conf", atomically: true, encoding: .utf8)
    process.executableURL = Self.nginx
    process.arguments = ["-p", folder.path, "-c", folder.path + "/nginx.conf"]
    process.standardError = FileHandle.nullDevice
    try process.run()
  }

  func stop() {
    process.terminate()
    process.waitUntilExit()
    try? FileManager.default.removeItem(at: folder)
  }

  private static func find(_ name: String) -> URL? {
    ["/usr/sbin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"].map { "\($0)/\(name)" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
      .map { URL(filePath: $0) }
  }
}
