import ImageModel
import LoadScheduling
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Credentials that end.
struct TemporaryCredentials: Sendable {
  let credentials: S3Credentials
  let end: Date
}

/// The requests of one refresh: they go to the addresses of a ``RoleSource`` alone, private ones
/// included, and follow no redirect.
struct RoleRequests: Sendable {
  static let attemptCount = 2
  private static let maximumByteCount = 64 << 10

  let source: RoleSource
  /// The engine of the bucket's requests, which may have a proxy and certificates.
  let engine: CurlEngine
  /// For a service of the machine; see ``RoleCredentials``.
  let connectTime: Duration

  /// A failure has the code `connectionFailed`: nothing is wrong with the image that the credentials
  /// are for.
  func outcome() async -> Result<TemporaryCredentials, ImageError> {
    do {
      return .success(try await credentials())
    } catch {
      let reason = (error as? ImageError)?.message ?? "\(error)"
      let isLast = if case .instance = source { true } else { false }
      let others = isLast ? "\(RoleSource.others) is set, and " : ""
      return .failure(
        ImageError(.connectionFailed, "no S3 credentials: \(others)\(source) failed: \(reason)"))
    }
  }

  private func credentials() async throws -> TemporaryCredentials {
    switch source {
    case .webIdentity(let file, let role, let session, let service):
      return try await assume(role, session, token: try await Self.token(file), at: service)
    case .container(let url, let token, let file):
      var lines: [String] = []
      if let token = if let file { try await Self.token(file) } else { token } {
        lines = ["Authorization: \(try Self.line(token))"]
      }
      return try Self.json(try await send("GET", url, lines, through: CurlEngine()).body)
    case .instance(let url): return try await metadata(at: url)
    }
  }

  // MARK: Web identity

  private func assume(
    _ role: String, _ session: String, token: String, at service: WebURL
  ) async throws -> TemporaryCredentials {
    let form = [
      ("Action", "AssumeRoleWithWebIdentity"), ("Version", "2011-06-15"), ("RoleArn", role),
      ("RoleSessionName", session), ("WebIdentityToken", token),
    ].map { "\($0)=\(PercentEncoding.encoded($1))" }.joined(separator: "&")
    let answer = try await send(
      "POST", service, ["Content-Type: application/x-www-form-urlencoded", "Accept: text/xml"],
      body: Array(form.utf8), through: engine)
    let text = String(decoding: answer.body, as: UTF8.self)
    guard let start = text.firstRange(of: "<Credentials>")?.upperBound,
      let end = text[start...].firstRange(of: "</Credentials>")?.lowerBound
    else { throw Self.failure("the answer has no credentials") }
    func element(_ name: String) -> String? {
      let body = text[start..<end]
      guard let opening = body.firstRange(of: "<\(name)>")?.upperBound,
        let closing = body[opening...].firstRange(of: "</\(name)>")?.lowerBound
      else { return nil }
      let value = String(body[opening..<closing]).trimmingWhiteSpace()
      return value.contains { "<&".contains($0) } ? nil : value
    }
    return try Self.made(
      element("AccessKeyId"), element("SecretAccessKey"), element("SessionToken"),
      element("Expiration"))
  }

  // MARK: Instance metadata

  private func metadata(at url: WebURL) async throws -> TemporaryCredentials {
    let engine = try CurlEngine()
    let folder = "/latest/meta-data/iam/security-credentials/"
    let token: String
    do {
      token = try await text(
        "PUT", url.replacingTarget(by: "/latest/api/token"),
        ["X-aws-ec2-metadata-token-ttl-seconds: 21600"], engine)
    } catch let error as ImageError {
      switch (error.status, error.code) {
      case (404?, _), (405?, _), (400?, _):
        throw error.withMessage("\(error.message); it has IMDSv1 only, and IMDSv2 is required")
      case (_, .timedOut):
        throw error.withMessage(
          "\(error.message); in a container, the hop limit of the instance has to be 2 or more")
      default: throw error
      }
    }
    let lines = ["X-aws-ec2-metadata-token: \(try Self.line(token))"]
    let role: String
    do {
      role = try await text("GET", url.replacingTarget(by: folder), lines, engine)
    } catch let error as ImageError where error.status == 404 {
      throw Self.failure("the instance has no role")
    }
    guard !role.isEmpty, role.utf8.allSatisfy({ HTTPText.isAlphanumeric($0, or: "+=,.@_-") }) else {
      throw Self.failure("it names no role")
    }
    return try Self.json(
      try await send("GET", url.replacingTarget(by: folder + role), lines, through: engine).body)
  }

  private func text(
    _ method: String, _ url: WebURL, _ lines: [String], _ engine: CurlEngine
  ) async throws -> String {
    let answer = try await send(
      method, url, lines, body: method == "PUT" ? [] : nil, through: engine)
    let text = String(decoding: answer.body, as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
  }

  // MARK: Both

  private func send(
    _ method: String, _ url: WebURL, _ lines: [String], body: [UInt8]? = nil,
    through engine: CurlEngine
  ) async throws -> TransferResult {
    var request = TransferRequest(
      url: url.text, method: method, fieldLines: lines.map { Array($0.utf8) }, body: body,
      allowsAnyAddress: true)
    let isNear = if case .webIdentity = source { false } else { true }
    request.limits.connectTime = isNear ? connectTime : connectTime * 5
    request.limits.totalTime = request.limits.connectTime * 2
    request.limits.maximumByteCount = Self.maximumByteCount
    // A query may have a token.
    let place = String(url.text.prefix { $0 != "?" })
    var attempt = 1
    while true {
      let result = try await engine.perform(request)
      let error = FetchFailure.error(for: result, url: place)
      guard error != nil || result.status >= 500, attempt < Self.attemptCount else {
        if let error { throw error }
        guard result.status == 200 else {
          let code = S3Failure(in: result.body).map { " \($0.code)" } ?? ""
          throw ImageError(
            .httpStatus, "\(place) answered \(result.status)\(code)", status: result.status)
        }
        return result
      }
      attempt += 1
    }
  }

  /// The object that a container's endpoint and the metadata answer.
  private struct Answer: Decodable {
    /// The reason where the metadata of an instance has none.
    let Code: String?
    let AccessKeyId: String?
    let SecretAccessKey: String?
    let Token: String?
    let Expiration: String?
  }

  private static func json(_ body: [UInt8]) throws(ImageError) -> TemporaryCredentials {
    guard let answer = try? JSONDecoder().decode(Answer.self, from: Data(body)) else {
      throw failure("the answer is not the JSON of credentials")
    }
    if let code = answer.Code, code != "Success" {
      throw failure("the answer is the error \(code.prefix(64).filter { $0.isLetter })")
    }
    return try made(
      answer.AccessKeyId, answer.SecretAccessKey, answer.Token, answer.Expiration)
  }

  private static func made(
    _ accessKey: String?, _ secretKey: String?, _ token: String?, _ expiration: String?
  ) throws(ImageError) -> TemporaryCredentials {
    guard let accessKey, let secretKey, let token else { throw failure("the answer lacks a key") }
    guard let end = expiration.flatMap({ Timestamp.seconds(of: Array($0.utf8)) }) else {
      throw failure("the answer does not say when the credentials expire")
    }
    return TemporaryCredentials(
      credentials: try S3Credentials(
        accessKey: accessKey, secretKey: secretKey, sessionToken: token),
      end: Date(timeIntervalSince1970: Double(end)))
  }

  /// The token in a file, which its owner replaces before it expires.
  private static func token(_ path: String) async throws -> String {
    let executor = try BlockingExecutor(name: "token", threadCount: 1)
    defer { executor.stop() }
    let bytes = try await executor.run {
      try FileFetcher.read(path, maximumByteCount: Self.maximumByteCount)
    }
    let text = String(decoding: bytes, as: UTF8.self).trimmingWhiteSpace()
    guard !text.isEmpty else { throw failure("\(path) is empty") }
    return text
  }

  /// A token for a header: no message contains it.
  private static func line(_ token: String) throws(ImageError) -> String {
    guard !token.isEmpty, token.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
      throw failure("the token is not one line of ASCII")
    }
    return token
  }

  private static func failure(_ reason: String) -> ImageError { ImageError(.protocolError, reason) }
}
