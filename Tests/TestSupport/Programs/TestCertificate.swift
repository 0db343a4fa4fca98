import Foundation
import Testing

/// A self-signed certificate; where `openssl` is not installed, the tests that need one are reported
/// as skipped.
struct TestCertificate: Sendable {
  private static let openssl = [
    "/usr/bin/openssl", "/usr/local/bin/openssl", "/opt/homebrew/bin/openssl",
  ]
  .first { FileManager.default.isExecutableFile(atPath: $0) }
  static var isPossible: Bool { openssl != nil }

  let path: String
  let key: String
  private let scratch: Scratch

  /// - Parameter names: The alternative names of its subject, as `DNS:example.org,IP:127.0.0.1`.
  init(for names: String) async throws {
    scratch = try Scratch()
    (path, key) = (scratch / "certificate.pem", scratch / "key.pem")
    let made = try await Tool(path: try #require(Self.openssl)).run([
      "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
      "-days", "2", "-subj", "/CN=test", "-addext", "subjectAltName=\(names)", "-keyout", key,
      "-out", path,
    ])
    try #require(made.status == 0, "\(made.errors)")
  }
}
