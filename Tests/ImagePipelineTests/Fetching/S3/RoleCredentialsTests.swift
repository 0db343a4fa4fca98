import Foundation
import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Credentials of a role` {
  private static let folder = "/latest/meta-data/iam/security-credentials/"
  private static let secret = "s3cret/key+of=40"

  private let clock = ManualClock(Date(timeIntervalSince1970: 1_795_769_210))
  private let store: S3Origin
  private let service: FaultyOrigin
  private let scratch: Scratch

  init() throws {
    store = try S3Origin(.whole([1]))
    service = try FaultyOrigin()
    scratch = try Scratch()
  }

  private func time(in seconds: Double) -> String {
    let end = clock.now.addingTimeInterval(seconds)
    return end.formatted(.iso8601)
  }

  /// What the metadata and a container's endpoint answer.
  private func json(_ key: String, endsIn seconds: Double = 3_600) -> FaultyOrigin.Answer {
    .text(
      """
      {"Code": "Success", "AccessKeyId": "\(key)", "SecretAccessKey": "\(Self.secret)",
      "Token": "token-\(key)", "Expiration": "\(time(in: seconds))"}
      """)
  }

  private func xml(_ key: String, endsIn seconds: Double = 3_600) -> FaultyOrigin.Answer {
    .text(
      """
      <AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
      <SessionToken>token-\(key)</SessionToken><SecretAccessKey>\(Self.secret)</SecretAccessKey>
      <Expiration>\(time(in: seconds))</Expiration><AccessKeyId>\(key)</AccessKeyId>
      </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>
      """)
  }

  /// Lets the service be the metadata of an instance, whose credentials are these in turn.
  private func serveMetadata(_ credentials: FaultyOrigin.Answer...) {
    service["/latest/api/token"] = [.text("t0ken")]
    service[Self.folder] = [.text("web-role\n")]
    service[Self.folder + "web-role"] = credentials
  }

  private func bucket(
    _ variables: [String: String]? = nil, connectTime: Duration = .seconds(600)
  ) throws -> S3Bucket {
    let variables = variables ?? ["AWS_EC2_METADATA_SERVICE_ENDPOINT": service.url("")]
    let source = try #require(try RoleSource(environment: variables, region: "us-east-1"))
    let clock = clock
    let role = RoleCredentials(source, connectTime: connectTime) { clock.now }
    return try S3Bucket(
      "photos", endpoint: store.origin.url(""), region: "us-east-1", style: nil, signer: .role(role)
    )
  }

  private func client(_ bucket: S3Bucket) throws -> S3Client {
    var configuration = S3Client.Configuration()
    configuration.operationTime = .seconds(600)
    configuration.connectTime = .seconds(600)
    configuration.retryPolicy.maximumRetryCount = 0
    return try S3Client(bucket, configuration)
  }

  /// The access keys that signed the requests to the store so far.
  private func keys() -> [String] {
    store.requests.map { request in
      let key = request["x-amz-security-token"]?.dropFirst(6).description ?? "none"
      let fault = SignatureV4.fault(in: request, accessKey: key, secretKey: Self.secret)
      return fault ?? key
    }
  }

  @Test func `come from the metadata of the instance by its version 2, once for all requests`()
    async throws
  {
    serveMetadata(json("A"))
    let client = try client(bucket())

    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<20 { group.addTask { _ = try await client.get("a") } }
      try await group.waitForAll()
    }

    #expect(keys() == [String](repeating: "A", count: 20))
    let asked = service.requests
    #expect(asked.map(\.method) == ["PUT", "GET", "GET"])
    #expect(
      asked.map(\.path) == ["/latest/api/token", Self.folder, Self.folder + "web-role"])
    #expect(asked[0]["x-aws-ec2-metadata-token-ttl-seconds"] == "21600")
    #expect(asked.dropFirst().allSatisfy { $0["x-aws-ec2-metadata-token"] == "t0ken" })
  }

  @Test func `are renewed before they end, without a restart`() async throws {
    serveMetadata(json("A"), json("B", endsIn: 7_200))
    let client = try client(bucket())

    _ = try await client.get("a")
    clock.advance(by: 3_299)
    _ = try await client.get("a")
    #expect(service.requests.count == 3)
    clock.advance(by: 2)
    // The old ones are used until the new ones are there.
    for _ in 0..<10_000 where store.requests.last?["x-amz-security-token"] != "token-B" {
      _ = try await client.get("a")
      await Task.yield()
    }

    #expect(Set(keys()) == ["A", "B"] && keys().last == "B")
    #expect(service.requests.count == 6)
  }

  @Test
  func `are used until they end while their service is down, and then their absence is an error`()
    async throws
  {
    serveMetadata(json("A", endsIn: 200))
    let client = try client(bucket())
    _ = try await client.get("a")
    service["/latest/api/token"] = [.text("", status: 500)]
    clock.advance(by: 100)

    for _ in 0..<5 { _ = try await client.get("a") }
    clock.advance(by: 95)
    let error = await imageError { try await client.get("a") }
    let count = service.requests.count
    let again = await imageError { try await client.get("a") }
    #expect(service.requests.count == count)
    serveMetadata(json("B"))
    clock.advance(by: 60)
    _ = try await client.get("a")

    #expect(keys() == ["A", "A", "A", "A", "A", "A", "B"])
    for error in [error, again] {
      #expect(error?.code == .connectionFailed && error?.status == nil)
      let message = error?.message ?? ""
      #expect(message.hasPrefix("s3://photos/a: no S3 credentials: "), "\(message)")
      #expect(message.contains("AWS_ACCESS_KEY_ID") && message.contains("answered 500"))
    }
  }

  @Test(arguments: [
    (404, "it has IMDSv1 only, and IMDSv2 is required"), (405, "IMDSv1 only"),
    (403, "answered 403"),
  ])
  func `are not taken from an instance without version 2`(status: Int, words: String) async throws {
    serveMetadata(json("A"))
    service["/latest/api/token"] = [.text("", status: status)]
    let client = try client(bucket())

    let error = await imageError { try await client.get("a") }

    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
    #expect(service.requests.map(\.path) == ["/latest/api/token"] && store.requests.isEmpty)
  }

  @Test func `are given up after two silent attempts, with the limit of hops as a reason`()
    async throws
  {
    let gate = Gate()
    defer { gate.open() }
    service["/latest/api/token"] = [.held([], gate)]
    let client = try client(bucket(connectTime: .milliseconds(100)))

    let error = await imageError { try await client.get("a") }

    let message = error?.message ?? ""
    #expect(message.contains("timed out") && message.contains("the hop limit"), "\(message)")
    #expect(service.requests.count <= RoleRequests.attemptCount)
  }

  @Test func `that are slow hold a request no longer than its deadline`() async throws {
    let gate = Gate()
    serveMetadata(json("A"))
    service["/latest/api/token"] = [
      .held([], gate, FaultyOrigin.head(length: 5) + Array("t0ken".utf8))
    ]
    let client = try client(bucket())

    let error = await imageError { try await client.get("a", deadline: .now + .milliseconds(20)) }
    let cancelled = Task { try await client.get("a") }
    cancelled.cancel()
    await #expect(throws: CancellationError.self) { try await cancelled.value }
    gate.open()
    _ = try await client.get("a")

    #expect(error?.code == .timedOut)
    #expect(keys() == ["A"] && service.requests.count == 3)
  }

  @Test func `of a web identity are obtained with the token that is in the file now`() async throws
  {
    service["/"] = [xml("A"), xml("B", endsIn: 7_200)]
    let client = try client(
      bucket([
        "AWS_WEB_IDENTITY_TOKEN_FILE": scratch.write("one.t+ken\n", to: "token"),
        "AWS_ROLE_ARN": "arn:aws:iam::1:role/web", "AWS_ROLE_SESSION_NAME": "pod-1",
        "AWS_ENDPOINT_URL_STS": service.url(""),
      ]))

    _ = try await client.get("a")
    try scratch.write("two", to: "token")
    clock.advance(by: 3_595)
    _ = try await client.get("a")

    #expect(keys() == ["A", "B"])
    #expect(
      service.requests.map { String(decoding: $0.body, as: UTF8.self) }
        == ["one.t%2Bken", "two"].map {
          "Action=AssumeRoleWithWebIdentity&Version=2011-06-15&RoleArn=arn%3Aaws%3Aiam%3A%3A1%3Arole%2Fweb"
            + "&RoleSessionName=pod-1&WebIdentityToken=\($0)"
        })
    #expect(service.requests.allSatisfy { $0["authorization"] == nil && $0.method == "POST" })
  }

  @Test func `name the reason where the service refuses the token, and not the token`() async throws
  {
    service["/"] = [
      .text(
        "<ErrorResponse><Error><Code>InvalidIdentityToken</Code><Message>s3cret</Message></Error></ErrorResponse>",
        status: 400)
    ]
    let client = try client(
      bucket([
        "AWS_WEB_IDENTITY_TOKEN_FILE": scratch.write("s3cret", to: "token"), "AWS_ROLE_ARN": "r",
        "AWS_ENDPOINT_URL_STS": service.url(""),
      ]))

    let error = await imageError { try await client.get("a") }

    #expect(
      error?.message
        == "s3://photos/a: no S3 credentials: AssumeRoleWithWebIdentity at \(service.url("")) failed: "
        + "\(service.url("/")) answered 400 InvalidIdentityToken")
  }

  @Test(arguments: [
    "", "{}", "[1]", "<html>", "{\"AccessKeyId\":\"A\",\"SecretAccessKey\":\"s3cret\"}",
  ])
  func `are refused where the answer has none, without quoting it`(text: String) async throws {
    service["/creds"] = [.text(text)]
    let client = try client(bucket(["AWS_CONTAINER_CREDENTIALS_FULL_URI": service.url("/creds")]))

    let error = await imageError { try await client.get("a") }

    #expect(error?.message.contains("failed: the answer") == true, "\(error?.message ?? "")")
    #expect(error?.message.contains("s3cret") == false && store.requests.isEmpty)
  }

  @Test func `name the error of an instance whose role cannot be assumed`() async throws {
    serveMetadata(
      .text("{\"Code\": \"AssumeRoleUnauthorizedAccess\", \"Message\": \"s3cret\"}"))
    let client = try client(bucket())

    let error = await imageError { try await client.get("a") }

    #expect(
      error?.message.hasSuffix("the answer is the error AssumeRoleUnauthorizedAccess") == true)
  }

  @Test func `of a container come with its token, for images too, past the rule for addresses`()
    async throws
  {
    service["/creds"] = [json("A")]
    let bucket = try bucket([
      "AWS_CONTAINER_CREDENTIALS_FULL_URI": service.url("/creds"),
      "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": scratch.write("Bearer one\n", to: "token"),
    ])
    let fixture = try FetcherFixture {
      $0.hostGuard.allowsPrivateNetworks = false
      $0.s3Buckets = [bucket]
    }

    _ = try await fixture.fetch("s3://photos/a")
    let other = await fixture.failure(of: service.url("/creds"))

    #expect(keys() == ["A"])
    #expect(service.requests.map { $0["authorization"] } == ["Bearer one"])
    // The rule stays for all other requests.
    #expect(other?.code == .hostNotAllowed)
  }
}
