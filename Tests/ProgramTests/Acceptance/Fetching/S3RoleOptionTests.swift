import Foundation
import Testing

@testable import ImageModel
@testable import TestSupport

/// Buckets whose credentials are those of a role, as the program obtains them.
@Suite(.needsProgram) struct `The option --s3 with a role` {
  private func get(
    _ scratch: Scratch, _ store: S3Origin, _ variables: [String: String]
  ) async throws -> Tool.Outcome {
    var tool = Tool.imgcache
    // None of the machine's own.
    for name in [
      "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SHARED_CREDENTIALS_FILE", "WEB_IDENTITY_TOKEN_FILE",
      "CONTAINER_CREDENTIALS_RELATIVE_URI", "CONTAINER_CREDENTIALS_FULL_URI",
    ] { tool.environment["AWS_" + name] = "" }
    tool.environment.merge(variables) { $1 }
    return try await tool.run([
      "get", "s3://photos/a.jpg", "-o", scratch / "a.jpg", "--cache-dir", scratch / "cache", "--s3",
      "photos=endpoint=\(store.origin.url(""))",
    ])
  }

  @Test func `obtains them where the variables say`() async throws {
    let scratch = try Scratch()
    let store = try S3Origin([
      "/photos/a.jpg": [.file(SampleImages.widePhoto, tag: "\"v1\"")],
      "/creds": [
        .text(
          """
          {"AccessKeyId": "\(S3Origin.accessKey)", "SecretAccessKey": "\(S3Origin.secretKey)",
          "Token": "t0ken", "Expiration": "2100-01-01T00:00:00Z"}
          """)
      ],
    ])

    let outcome = try await get(
      scratch, store, ["AWS_CONTAINER_CREDENTIALS_FULL_URI": store.origin.url("/creds")])

    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(store.requests.map(\.path) == ["/creds", "/photos/a.jpg"])
    #expect(store.faults == ["not signed"])
    #expect(store.requests.last?["x-amz-security-token"] == "t0ken")
    #expect(!(outcome.output + outcome.errors).contains(S3Origin.secretKey))
  }

  @Test func `names what it tried where there are none`() async throws {
    let scratch = try Scratch()
    let store = try S3Origin()
    let port = try ReservedPort()

    let outcome = try await get(
      scratch, store,
      ["AWS_EC2_METADATA_SERVICE_ENDPOINT": "http://127.0.0.1:\(port.number)"])

    #expect(outcome.status == 1)
    #expect(
      outcome.errors.contains(
        "no S3 credentials: no credentials file is named, and none of AWS_ACCESS_KEY_ID, "
          + "AWS_WEB_IDENTITY_TOKEN_FILE and AWS_CONTAINER_CREDENTIALS_FULL_URI is set, and the "
          + "instance metadata at http://127.0.0.1:\(port.number) failed: "), "\(outcome.errors)")
    #expect(store.requests.isEmpty)
  }
}
