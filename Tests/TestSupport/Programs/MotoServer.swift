import Foundation
import Testing

@testable import ImageFetching
@testable import ImageModel

/// A moto server (PyPI: `moto[s3,server]`), which emulates Amazon S3 over HTTP;
/// where Python has no moto, the tests that need it are reported as skipped.
final class MotoServer: Sendable {
  private static let python: String? = {
    let own = SharedFixtures.packageRoot.appending(path: ".build/moto/bin/python3").path
    return [own, "/usr/bin/env"].first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  private static func arguments(_ rest: [String]) -> [String] {
    (python == "/usr/bin/env" ? ["python3"] : []) + rest
  }

  /// Whether the server can be started; checked once.
  static func isPossible() async -> Bool { await found.value }

  private static let found = Task { () -> Bool in
    let code = """
      import importlib.util as u, sys
      sys.exit(any(u.find_spec(name) is None for name in ("moto", "flask", "flask_cors", "botocore")))
      """
    guard let python, let child = try? ChildProcess(python, arguments(["-c", code])) else {
      return false
    }
    return (try? await child.end()) == 0
  }

  private let program: PortProgram
  let port: UInt16
  /// The credentials for signing requests.
  let accessKey: String
  let secretKey: String

  /// Starts it with the bucket `photos`, and waits until it answers.
  ///
  /// - Parameter checksSignatures: Whether requests need the signature of its key. moto computes it
  ///   from a path that it has decoded in part, and so refuses the right signature of a key with
  ///   `+`, `%` or letters beyond ASCII; see ``SignatureV4`` for those.
  init(checksSignatures: Bool) async throws {
    var environment = ProcessInfo.processInfo.environment
    // A user, its key, its policy, a bucket.
    if checksSignatures { environment["INITIAL_NO_AUTH_ACTION_COUNT"] = "4" }
    program = try await PortProgram(Self.python, environment: environment) { port, _ in
      Self.arguments(["-m", "moto.server", "-H", "127.0.0.1", "-p", "\(port)"])
    }
    port = program.port

    let policy =
      #"{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"s3:*","Resource":"*"}]}"#
    _ = try await Self.manage(port, "Action=CreateUser&UserName=tests")
    let key = try await Self.manage(port, "Action=CreateAccessKey&UserName=tests")
    _ = try await Self.manage(
      port,
      "Action=PutUserPolicy&UserName=tests&PolicyName=s3&PolicyDocument="
        + (policy.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""))
    _ = try await Self.exchange(port, "PUT /photos HTTP/1.1\r\n", "")
    accessKey = String(try #require(key.firstMatch(of: /<AccessKeyId>(.+?)</)).1)
    secretKey = String(try #require(key.firstMatch(of: /<SecretAccessKey>(.+?)</)).1)
  }

  func bucket(
    _ name: String = "photos", style: S3Bucket.Style = .path, secretKey: String? = nil
  ) throws -> S3Bucket {
    try S3Bucket(
      name, endpoint: "http://\(style == .host ? "localhost" : "127.0.0.1"):\(port)", style: style,
      credentials: S3Credentials(accessKey: accessKey, secretKey: secretKey ?? self.secretKey))
  }

  /// Whether a bucket has an object, by moto's own page of its data.
  func hasObjects() async throws -> Bool {
    try await Self.exchange(port, "GET /moto-api/data.json HTTP/1.1\r\n", "")
      .contains("\"FakeKey\": [{")
  }

  func stop() { program.stop() }

  private static func manage(_ port: UInt16, _ form: String) async throws -> String {
    try await exchange(
      port,
      """
      POST / HTTP/1.1\r
      Content-Type: application/x-www-form-urlencoded\r
      Authorization: AWS4-HMAC-SHA256 Credential=x/20261123/us-east-1/iam/aws4_request, SignedHeaders=host, Signature=x\r

      """, form + "&Version=2010-05-08")
  }

  private static func exchange(_ port: UInt16, _ head: String, _ body: String) async throws
    -> String
  {
    try await OffPool.run {
      let client = try RawClient(port: port)
      client.send(
        "\(head)Host: 127.0.0.1:\(port)\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      return client.readToEnd()
    }
  }
}
