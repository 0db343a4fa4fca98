import Foundation
import Testing

@testable import ImageModel
@testable import TestSupport
@testable import ThumbnailServer

/// Images in buckets, as the program reaches them with `--s3`.
@Suite(.needsProgram) struct `The option --s3` {
  /// A store with an image under two keys, and the option that names it.
  private func store(_ scratch: Scratch) throws -> (store: S3Origin, option: [String]) {
    let image = FaultyOrigin.Answer.file(SampleImages.widePhoto, tag: "\"v1\"")
    let store = try S3Origin(["/photos/a.jpg": [image], "/photos/%C3%A9%20b.jpg": [image]])
    let keys = """
      [default]
      aws_access_key_id = \(S3Origin.accessKey)
      aws_secret_access_key = \(S3Origin.secretKey)

      """
    try keys.write(toFile: scratch / "keys", atomically: true, encoding: .utf8)
    let value =
      "photos=endpoint=http://127.0.0.1:\(store.origin.port),credentials=\(scratch / "keys")"
    return (store, ["--s3", value])
  }

  private func run(_ arguments: [String], _ scratch: Scratch) async throws -> Tool.Outcome {
    try await Tool.imgcache.run(arguments + ["--cache-dir", scratch / "cache"])
  }

  @Test func `makes an s3 URL usable like any other`() async throws {
    let scratch = try Scratch()
    let (store, option) = try store(scratch)
    defer { store.stop() }
    let url = "s3://photos/é%20b.jpg"

    let outcomes = [
      try await run(["get", url, "-o", scratch / "a.jpg"] + option, scratch),
      try await run(["get", url, "-o", scratch / "b.jpg", "--revalidate"] + option, scratch),
      try await run(["thumb", url, "--size", "16x16", "-o", scratch / "t.jpg"] + option, scratch),
      // A cached image needs no bucket.
      try await run(["explain", url], scratch), try await run(["path", url], scratch),
      try await run(["info", url, "--json"], scratch), try await run(["ls", "--json"], scratch),
      try await run(["rm", "--tag", "host-photos", "--dry-run"], scratch),
      try await run(["rm", url], scratch), try await run(["path", url], scratch),
    ]

    #expect(outcomes.map(\.status) == [0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
    #expect(
      try Data(contentsOf: URL(fileURLWithPath: scratch / "b.jpg"))
        == Data(SampleImages.widePhoto))
    #expect(outcomes[6].output.contains(url))
    #expect(store.faults == [])
    // Without an explicit lifetime, the object is revalidated.
    #expect(store.requests.map { $0["if-none-match"] } == [nil, "\"v1\"", "\"v1\""])
    for outcome in outcomes {
      #expect(!(outcome.output + outcome.errors).contains(S3Origin.secretKey))
    }
  }

  @Test func `names the missing option, and the malformed one`() async throws {
    let scratch = try Scratch()
    let (store, option) = try store(scratch)
    defer { store.stop() }
    let get = ["get", "-o", scratch / "a.jpg"]

    let missing = try await run(get + ["s3://photos/a.jpg"], scratch)
    let other = try await run(get + ["s3://others/a.jpg"] + option, scratch)
    #expect([missing, other].map(\.status) == [1, 1])
    #expect(missing.errors.contains("bucket \"photos\" is not configured; name it by --s3"))
    for (arguments, words) in [
      (["s3://photos/a?b"] + option, "%3F"), (["s3://photos"] + option, "s3://BUCKET/KEY"),
      (["s3://photos/a"] + option + option, "named twice"),
      (["s3://photos/a", "--s3", "photos=endpoint=x,credentials=\(scratch / "keys")"], "endpoint"),
      (["s3://photos/a", "--s3", "photos=credentials=\(scratch / "absent")"], "absent"),
    ] {
      let outcome = try await run(get + arguments, scratch)
      #expect(outcome.status == 64, "\(arguments)")
      #expect(outcome.errors.contains(words), "\(outcome.errors)")
    }
    #expect(store.requests.isEmpty)
  }

  @Test func `takes the credentials from the variables of AWS`() async throws {
    let scratch = try Scratch()
    let (store, _) = try store(scratch)
    defer { store.stop() }
    var tool = Tool.imgcache
    tool.environment = [
      "AWS_ACCESS_KEY_ID": S3Origin.accessKey, "AWS_SECRET_ACCESS_KEY": S3Origin.secretKey,
      "AWS_SESSION_TOKEN": "t0ken",
    ]

    let outcome = try await tool.run([
      "get", "s3://photos/a.jpg", "-o", scratch / "a.jpg", "--cache-dir", scratch / "cache",
      "--s3", "photos=endpoint=http://127.0.0.1:\(store.origin.port),region=eu-west-1",
    ])

    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(store.faults == [])
    #expect(store.requests.first?["x-amz-security-token"] == "t0ken")
    #expect(store.requests.first?["authorization"]?.contains("/eu-west-1/s3/") == true)
  }

  @Test func `lets lists of URLs name objects`() async throws {
    let scratch = try Scratch()
    let (store, option) = try store(scratch)
    defer { store.stop() }
    let list = "s3://photos/a.jpg\ns3://photos/é%20b.jpg\ns3://photos/a?b\n"
    try list.write(toFile: scratch / "list.txt", atomically: true, encoding: .utf8)

    let outcome = try await run(
      ["prefetch", "--feed", scratch / "list.txt", "--json"] + option, scratch)

    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.output.contains("not an http(s) or s3 URL") || outcome.errors.contains("s3 URL"))
    #expect(store.requests.count == 2)
    #expect(store.faults == [])
  }

  @Test func `permits serve requests for its bucket, and for no other one`() async throws {
    let scratch = try Scratch()
    let (store, option) = try store(scratch)
    defer { store.stop() }
    func target(_ path: String, _ url: String) -> String {
      "\(path)?url=\(QueryPairs.encoded(url))"
    }
    let program = try await ServeProgram(option + ["--allow-host", "*"], scratch: scratch)

    let image = try await program.exchange("GET", target("/image", "s3://photos/a.jpg"))
    let thumb = try await program.exchange("GET", target("/thumb", "s3://photos/a.jpg") + "&w=16")
    let info = try await program.exchange("GET", target("/info", "s3://photos/a.jpg"))
    let none = try await program.exchange("GET", target("/image", "s3://photos/none.jpg"))
    let other = try await program.exchange("GET", target("/image", "s3://others/a.jpg"))
    let outside = try await program.exchange(
      "GET", target("/image", "s3://photos/../others/a.jpg"))
    #expect(try await program.stop() == 0)
    let bare = try await ServeProgram(["--allow-host", "*"], scratch: scratch)
    let cached = try await bare.exchange("GET", target("/image", "s3://photos/a.jpg"))
    let absent = try await bare.exchange("GET", target("/image", "s3://photos/b.jpg"))
    #expect(try await bare.stop() == 0)

    #expect([image, thumb, info].map(\.status) == [200, 200, 200])
    #expect(image.body == SampleImages.widePhoto)
    #expect(image["cache-tag"]?.contains("host-photos") == true)
    #expect([none, other, outside].map(\.status) == [404, 403, 400])
    // As with hosts, cached images are served, and nothing is fetched.
    #expect([cached, absent].map(\.status) == [200, 403])
    #expect(Set(store.requests.map(\.target)) == ["/photos/a.jpg", "/photos/none.jpg"])
    #expect(store.requests.count { $0["if-none-match"] == nil } == 2)
  }

  @Test func `is shown by config and checked by serve --check`() async throws {
    let scratch = try Scratch()
    let (store, option) = try store(scratch)
    defer { store.stop() }
    try "serve:\n  s3:\n    - \"\(option[1])\"\n".write(
      toFile: scratch / "config.yaml", atomically: true, encoding: .utf8)

    let config = try await run(["config", "serve", "--json"] + option, scratch)
    let check = try await run(
      ["serve", "--check", "--listen", "127.0.0.1:0", "--config", scratch / "config.yaml"], scratch)
    let wrong = try await run(
      ["serve", "--check", "--listen", "127.0.0.1:0", "--s3", "photos=zone=1"], scratch)
    let proxy = try await run(
      ["proxy", "--origin", "http://127.0.0.1:9", "--tier2", "s3://photos"] + option, scratch)

    #expect(config.output.contains("\"s3\""))
    #expect(config.output.contains("photos=endpoint="))
    #expect(check.status == 0, "\(check.output)")
    #expect(check.output.contains("s3 buckets: photos at http://127.0.0.1"))
    #expect(wrong.status == 64)
    #expect(wrong.output.contains("wrong  s3 buckets"))
    // For a proxy it only describes the bucket of a tier.
    #expect(proxy.status == 64)
    #expect(proxy.errors.contains("--tier2 needs --tier"))
    for outcome in [config, check, wrong] {
      #expect(!(outcome.output + outcome.errors).contains(S3Origin.secretKey))
    }
    #expect(store.requests.isEmpty)
  }
}
