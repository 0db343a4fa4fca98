import Foundation
import HTTPTypes
import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TextEncodings
@testable import ImagePipeline
@testable import TestSupport

/// HTTP/2 over TLS, against an nginx with a self-signed certificate. Where nginx
/// or openssl is absent the suite is reported as skipped.
@Suite(.enabled(if: TLSOrigin.isPossible, "needs nginx and openssl"))
struct `Over TLS` {
  @Test func `fetches share an HTTP/2 connection, and no untrusted certificate`() async throws {
    let origin = try await TLSOrigin()
    defer { origin.nginx.stop() }
    let url = origin.url
    let certificate = [UInt8](try Data(contentsOf: URL(filePath: origin.certificate.path)))
    let trusting = try FetcherFixture { try? $0.certificates.add(certificate) }
    let doubting = try FetcherFixture()

    let first = try await trusting.fetch(url)
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

  /// No response has come when the last of them is sent.
  @Test func `a limit of connections to a host does not limit its streams`() async throws {
    let gate = Gate()
    let slow = try FaultyOrigin()
    for number in 0..<20 {
      slow["/slow/\(number)"] = [.held(FaultyOrigin.head(length: 2), gate, Array("ok".utf8))]
    }
    let origin = try await TLSOrigin(behind: slow.url(""))
    defer { origin.nginx.stop() }
    let certificate = [UInt8](try Data(contentsOf: URL(filePath: origin.certificate.path)))
    let fixture = try FetcherFixture {
      try? $0.certificates.add(certificate)
      $0.maximumConnectionsPerHost = 2
    }

    try await withThrowingTaskGroup(of: Int.self) { group in
      for number in 0..<20 {
        group.addTask { try await fixture.fetch(origin.url + "slow/\(number)").body.byteCount }
      }
      await Condition.until { slow.requests.count == 20 }
      gate.open()
      let byteCount = try await group.reduce(0, +)
      #expect(byteCount == 40)
    }
  }

  /// An origin that ends its connections after ten requests makes those that wait open others.
  @Test func `an origin that ends connections gets no more of them at once`() async throws {
    let origin = try await TLSOrigin(settings: "keepalive_requests 10;")
    defer { origin.nginx.stop() }
    let certificate = [UInt8](try Data(contentsOf: URL(filePath: origin.certificate.path)))
    let fixture = try FetcherFixture {
      try? $0.certificates.add(certificate)
      $0.maximumConnectionsPerHost = 3
    }

    let counts = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<40 {
        group.addTask {
          let fields = try await fixture.fetch(origin.url).head.fields
          return try #require(fields[Self.openConnections].flatMap { Int($0) })
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }

    #expect(counts.count == 40)
    // nginx may still have some that have ended; without the limit it has dozens.
    #expect(counts.max() ?? 0 <= 6, "\(counts)")
  }

  private static let connection = HTTPField.Name("X-Connection") ?? .via
  private static let openConnections = HTTPField.Name("X-Open-Connections") ?? .via

  /// Runs `get` of an image, whose body is text: what is not trusted fails before that is found out.
  private static func code(
    of url: String, _ arguments: [String] = [], _ environment: [String: String] = [:]
  ) async throws -> (status: Int32, code: String) {
    let cache = try Scratch()
    var tool = Tool.imgcache
    tool.environment = ["CURL_CA_BUNDLE": "", "SSL_CERT_FILE": "", "SSL_CERT_DIR": ""]
      .merging(environment) { $1 }
    let outcome = try await tool.run(
      ["get", "--json", "--cache-dir", cache.path, "--retries", "0", "-o", cache / "out", url]
        + arguments)
    let code =
      outcome.output.firstRange(of: "tls_failed") ?? outcome.output.firstRange(of: "not_an_image")
    return (
      outcome.status, code.map { String(outcome.output[$0]) } ?? outcome.output + outcome.errors
    )
  }

  @Test(.needsProgram)
  func `the program trusts --ca-file and the files that curl's variables name`() async throws {
    let origin = try await TLSOrigin()
    defer { origin.nginx.stop() }
    let (url, file) = (origin.url, origin.certificate.path)
    let other = try await TestCertificate(for: "DNS:other.example")

    let none = try await Self.code(of: url)
    let trusted = try await [
      Self.code(of: url, ["--ca-file", file]),
      Self.code(of: url, [], ["SSL_CERT_FILE": file]),
      Self.code(of: url, [], ["CURL_CA_BUNDLE": file]),
      Self.code(of: url, ["--ca-file", file], ["SSL_CERT_FILE": other.path]),
      Self.code(of: url, ["--ca-file", other.path], ["SSL_CERT_FILE": file]),
      Self.code(of: url, [], ["IMGCACHE_CA_FILE": file]),
    ]
    let doubted = try await [
      Self.code(of: url, ["--ca-file", other.path]),
      Self.code(of: url, [], ["SSL_CERT_FILE": file, "CURL_CA_BUNDLE": other.path]),
      Self.code(of: url, [], ["SSL_CERT_FILE": "/nonexistent/absent.pem"]),
    ]

    #expect(none.code == "tls_failed")
    #expect(trusted.map(\.code) == Array(repeating: "not_an_image", count: trusted.count))
    #expect(doubted.map(\.code) == Array(repeating: "tls_failed", count: doubted.count))
  }
}

/// An nginx on loopback that serves HTTP/2 over TLS and reports the protocol and the connection of
/// each request, and how many are open; what is below `/slow/` it passes on to another origin.
private struct TLSOrigin {
  static var isPossible: Bool { NginxProgram.isPossible && TestCertificate.isPossible }

  let certificate: TestCertificate
  let nginx: PortProgram
  var url: String { "https://127.0.0.1:\(nginx.port)/" }

  init(behind other: String = "http://127.0.0.1:9", settings: String = "") async throws {
    let certificate = try await TestCertificate(for: "IP:127.0.0.1")
    self.certificate = certificate
    nginx = try await NginxProgram.start { port in
      """
      server { listen 127.0.0.1:\(port) ssl http2;
        ssl_certificate \(certificate.path); ssl_certificate_key \(certificate.key); \(settings)
        location /slow/ { proxy_pass \(other); }
        location / { add_header X-Connection $connection;
          add_header X-Open-Connections $connections_active; return 200 "over $server_protocol"; } }
      """
    }
  }
}

@Suite struct `Trusted certificates` {
  private static func certificate(_ der: [UInt8]) -> String {
    "-----BEGIN CERTIFICATE-----\r\n\(Base64.encoded(der))\r\n-----END CERTIFICATE-----\r\n"
  }

  /// One sequence of 300 bytes.
  private static let whole = [0x30, 0x82, 0x01, 0x2C] + [UInt8](repeating: 5, count: 300)

  @Test func `are read from a text with other things in it`() throws {
    let key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"
    let text = "subject: a\n\(Self.certificate(Self.whole))\(key)\(Self.certificate(Self.whole))"
    var certificates = TrustedCertificates()

    try certificates.add(Array(text.utf8))

    let kept = String(decoding: certificates.additional, as: UTF8.self)
    #expect(kept.split(separator: "BEGIN CERTIFICATE").count == 3)
    #expect(!kept.contains("PRIVATE") && !kept.contains("subject"))
  }

  @Test(arguments: [
    "", "text", "-----BEGIN CERTIFICATE-----\nAAAA", certificate([]), certificate([0x30, 0x82]),
    certificate(whole.dropLast()), certificate(whole + [0]), certificate([1] + whole.dropFirst()),
    "-----BEGIN CERTIFICATE-----\n%%%\n-----END CERTIFICATE-----\n",
    "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
  ])
  func `are refused where there is none, or one that is malformed or cut`(text: String) throws {
    var certificates = TrustedCertificates()

    #expect(imageError { try certificates.add(Array(text.utf8)) }?.code == .invalidArgument)
    #expect(certificates.additional.isEmpty)
  }

  @Test func `of the environment are those that curl takes`() {
    func read(_ environment: [String: String]) -> [String?] {
      let certificates = TrustedCertificates(environment: environment)
      return [certificates.file, certificates.directory]
    }

    #expect(read([:]) == [nil, nil])
    #expect(read(["SSL_CERT_FILE": "a", "SSL_CERT_DIR": "b"]) == ["a", "b"])
    #expect(
      read(["SSL_CERT_FILE": "a", "SSL_CERT_DIR": "b", "CURL_CA_BUNDLE": "c"]) == ["c", nil])
    #expect(read(["SSL_CERT_FILE": "a", "CURL_CA_BUNDLE": ""]) == ["a", nil])
  }

  @Test(.needsProgram, arguments: [("get", "absent.pem"), ("serve", "empty.pem")])
  func `in a file that is absent or has none are misuse`(
    command: String, file: String
  ) async throws {
    let scratch = try Scratch()
    try Data("no certificate".utf8).write(to: URL(filePath: scratch / "empty.pem"))
    let target = command == "get" ? "http://127.0.0.1:1/a.jpg" : "--listen=127.0.0.1:0"

    let outcome = try await Tool.imgcache.run(
      [command, "--cache-dir", scratch / "cache", "--ca-file", scratch / file, target])

    #expect([2, 64].contains(outcome.status), "\(outcome.errors)")
    #expect(outcome.errors.contains("--ca-file"), "\(outcome.errors)")
    #expect(outcome.errors.contains(file), "\(outcome.errors)")
  }
}
