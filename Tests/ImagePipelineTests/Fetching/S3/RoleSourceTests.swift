import Foundation
import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `The source of a role's credentials` {
  private static let identity = [
    "WEB_IDENTITY_TOKEN_FILE": "t", "ROLE_ARN": "arn:aws:iam::1:role/r",
  ]

  private func signer(_ variables: [String: String]) throws -> S3Signer {
    let environment = variables.map { ("AWS_" + $0.key, $0.value) }
    return try S3Bucket("photos", environment: Dictionary(environment) { $1 }) { _ in
      Array(`An S3 bucket`.keys.utf8)
    }.signer
  }

  @Test(arguments: [
    (identity, "AssumeRoleWithWebIdentity at https://sts.us-east-1.amazonaws.com"),
    (
      identity.merging(["REGION": "cn-north-1"]) { $1 },
      "AssumeRoleWithWebIdentity at https://sts.cn-north-1.amazonaws.com.cn"
    ),
    (
      identity.merging(["ENDPOINT_URL_STS": "http://10.0.0.1:9000", "SHARED_CREDENTIALS_FILE": "f"])
      { $1 },
      "AssumeRoleWithWebIdentity at http://10.0.0.1:9000"
    ),
    (
      ["CONTAINER_CREDENTIALS_RELATIVE_URI": "/v2/x"],
      "the container's endpoint at http://169.254.170.2"
    ),
    (["CONTAINER_CREDENTIALS_FULL_URI": "https://h/x"], "the container's endpoint at https://h"),
    (
      ["CONTAINER_CREDENTIALS_FULL_URI": "http://127.9.9.9:80/x"],
      "the container's endpoint at http://127.9.9.9"
    ),
    (
      ["CONTAINER_CREDENTIALS_FULL_URI": "http://[fd00:ec2::23]/v1/credentials"],
      "the container's endpoint at http://[fd00:ec2::23]"
    ),
    ([:], "the instance metadata at http://169.254.169.254"),
    (
      ["EC2_METADATA_SERVICE_ENDPOINT_MODE": "IPv6"],
      "the instance metadata at http://[fd00:ec2::254]"
    ),
    (
      [
        "EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:1338/", "EC2_METADATA_DISABLED": "false",
      ],
      "the instance metadata at http://127.0.0.1:1338"
    ),
  ])
  func `follows from the variables`(variables: [String: String], words: String) throws {
    guard case .role(let role) = try signer(variables) else {
      Issue.record("not a role: \(variables)")
      return
    }
    #expect("\(role)".contains(words), "\(role)")
  }

  @Test(arguments: [
    ["ACCESS_KEY_ID": "AKID", "SECRET_ACCESS_KEY": "s"], ["SHARED_CREDENTIALS_FILE": "f"],
  ])
  func `comes behind keys that last`(variables: [String: String]) throws {
    let all = variables.merging(["CONTAINER_CREDENTIALS_RELATIVE_URI": "/x"]) { $1 }

    guard case .keys(let keys) = try signer(all) else {
      Issue.record("a role")
      return
    }
    #expect(keys.accessKey == "AKID")
  }

  @Test(arguments: [
    (["WEB_IDENTITY_TOKEN_FILE": "t"], "AWS_ROLE_ARN is not"),
    (["CONTAINER_CREDENTIALS_RELATIVE_URI": "http://h/x"], "is not a path"),
    (["CONTAINER_CREDENTIALS_FULL_URI": "http://example.org/x"], "is not an https URL"),
    (["CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1.example.org/x"], "is not an https URL"),
    (["CONTAINER_CREDENTIALS_FULL_URI": "http://169.254.169.254/x"], "is not an https URL"),
    (["CONTAINER_CREDENTIALS_FULL_URI": "https://u:p@h/x"], "is not an https URL"),
    (["EC2_METADATA_SERVICE_ENDPOINT": "127.0.0.1"], "is not an http or https URL"),
    (identity.merging(["ENDPOINT_URL_STS": "http://h/path"]) { $1 }, "AWS_ENDPOINT_URL_STS is not"),
    (["EC2_METADATA_DISABLED": "TRUE"], "AWS_ACCESS_KEY_ID"),
  ])
  func `is refused with the variable`(variables: [String: String], words: String) {
    let error = #expect(throws: ImageError.self) { try signer(variables) }

    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
  }

  @Test func `shows no token`() throws {
    let signer = try signer([
      "CONTAINER_CREDENTIALS_FULL_URI": "http://127.0.0.1/x",
      "CONTAINER_AUTHORIZATION_TOKEN": "s3cret",
    ])
    var dumped = ""
    dump(signer, to: &dumped)

    for text in ["\(signer)", String(reflecting: signer), dumped] {
      #expect(!text.contains("s3cret"), "\(text)")
    }
  }
}

@Suite struct `The state of a role's credentials` {
  private let start = Date(timeIntervalSince1970: 0)

  private func credentials(_ key: String, end: Double) throws -> TemporaryCredentials {
    TemporaryCredentials(
      credentials: try S3Credentials(accessKey: key, secretKey: "s", sessionToken: "t"),
      end: start.addingTimeInterval(end))
  }

  private func key(_ state: RoleState, at second: Double) -> String? {
    switch state.outcome(at: start.addingTimeInterval(second)) {
    case .success(let credentials): credentials.accessKey
    case .failure(let error): error.message
    case nil: nil
    }
  }

  @Test func `begins one refresh, and the next five minutes before the end`() throws {
    var state = RoleState()
    func begins(_ second: Double) -> Bool { state.begins(at: start.addingTimeInterval(second)) }

    #expect([begins(0), begins(0)] == [true, false])
    #expect(key(state, at: 0) == nil)
    state.finish(.success(try credentials("A", end: 3_600)), at: start)
    #expect(key(state, at: 3_299) == "A")
    #expect(
      [begins(1), begins(3_300), begins(3_301), begins(3_302)] == [false, false, true, false])
    #expect(key(state, at: 3_302) == "A")
    state.finish(.success(try credentials("B", end: 7_200)), at: start.addingTimeInterval(3_303))
    #expect(key(state, at: 3_303) == "B" && !begins(3_304))
  }

  @Test func `uses old credentials until they end, and pauses longer after each failure`() throws {
    var state = RoleState()
    var attempts: [Int] = []
    let failure = ImageError(.connectionFailed, "down")
    _ = state.begins(at: start)
    state.finish(.success(try credentials("A", end: 400)), at: start)

    for second in 0..<600 where state.begins(at: start.addingTimeInterval(Double(second))) {
      attempts.append(second)
      #expect(key(state, at: Double(second)) == (second < 390 ? "A" : nil))
      state.finish(.failure(failure), at: start.addingTimeInterval(Double(second)))
    }

    #expect(attempts == [101, 102, 104, 108, 116, 132, 164, 224, 284, 344, 404, 464, 524, 584])
    #expect(key(state, at: 389) == "A" && key(state, at: 391) == "down")
  }

  @Test func `does not renew short credentials with each request, and refuses expired ones`() throws
  {
    var state = RoleState()
    _ = state.begins(at: start)
    state.finish(.success(try credentials("A", end: 60)), at: start)
    let early = state.begins(at: start.addingTimeInterval(29))
    let due = state.begins(at: start.addingTimeInterval(30))
    state.finish(.success(try credentials("B", end: 35)), at: start.addingTimeInterval(30))

    #expect(!early && due)
    #expect(key(state, at: 49) == "A")
    #expect(key(state, at: 51)?.contains("have expired") == true)
  }
}
