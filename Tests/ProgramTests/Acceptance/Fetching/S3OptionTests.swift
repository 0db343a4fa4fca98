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
    try scratch.write(
      "[default]\naws_access_key_id = \(S3Origin.accessKey)\n"
        + "aws_secret_access_key = \(S3Origin.secretKey)\n", to: "keys")
    let value =
      "photos=endpoint=http://127.0.0.1:\(store.origin.port),credentials=\(scratch / "keys")"
    return (store, ["--s3", value])
  }

  @Test func `makes an s3 URL usable like any other`() async throws {
    let scratch = try Scratch()
    let (store, option) = try store(scratch)
    let url = "s3://photos/é%20b.jpg"

    let outcomes = [
      try await Tool.run(["get", url, "-o", scratch / "a.jpg"] + option, cache: scratch),
      try await Tool.run(
        ["get", url, "-o", scratch / "b.jpg", "--revalidate"] + option, cache: scratch),
      try await Tool.run(
        ["thumb", url, "--size", "16x16", "-o", scratch / "t.jpg"] + option, cache: scratch),
      // A cached image needs no bucket.
      try await Tool.run(["explain", url], cache: scratch),
      try await Tool.run(["path", url], cache: scratch),
      try await Tool.run(["info", url, "--json"], cache: scratch),
      try await Tool.run(["ls", "--json"], cache: scratch),
      try await Tool.run(["rm", "--tag", "host-photos", "--dry-run"], cache: scratch),
      try await Tool.run(["rm", url], cache: scratch),
      try await Tool.run(["path", url], cache: scratch),
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

  @Test func `names the missing option, and lets lists of URLs name objects`() async throws {
    let scratch = try Scratch()
    let (store, option) = try store(scratch)
    let get = ["get", "-o", scratch / "a.jpg"]
    let list = try scratch.write(
      "s3://photos/a.jpg\ns3://photos/é%20b.jpg\ns3://photos/a?b\n", to: "list.txt")

    let missing = try await Tool.run(get + ["s3://photos/a.jpg"], cache: scratch)
    let other = try await Tool.run(get + ["s3://others/a.jpg"] + option, cache: scratch)
    let twice = try await Tool.run(get + ["s3://photos/a"] + option + option, cache: scratch)
    let listed = try await Tool.prefetch(scratch, ["--feed", list] + option)

    #expect([missing, other, twice].map(\.status) == [1, 1, 64])
    #expect(missing.errors.contains("bucket \"photos\" is not configured; name it by --s3"))
    #expect(twice.errors.contains("named twice"))
    #expect(listed.status == 0, "\(listed.errors)")
    #expect((listed.output + listed.errors).contains("s3 URL"))
    #expect(store.requests.count == 2 && store.faults == [])
  }

  @Test func `permits serve requests for its bucket, and for no other one`() async throws {
    let scratch = try Scratch()
    let (store, option) = try store(scratch)
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
    let file = try scratch.write("serve:\n  s3:\n    - \"\(option[1])\"\n", to: "config.yaml")
    let serve = ["serve", "--check", "--listen", "127.0.0.1:0"]

    let config = try await Tool.run(["config", "serve", "--json"] + option, cache: scratch)
    let check = try await Tool.run(serve + ["--config", file], cache: scratch)
    let wrong = try await Tool.run(serve + ["--s3", "photos=zone=1"], cache: scratch)
    // For a proxy it only describes the bucket of a tier.
    let proxy = try await Tool.run(
      ["proxy", "--origin", "http://127.0.0.1:9", "--tier2", "s3://photos"] + option,
      cache: scratch)

    #expect(config.output.contains("\"s3\"") && config.output.contains("photos=endpoint="))
    #expect(check.status == 0 && wrong.status == 64 && proxy.status == 64, "\(check.output)")
    #expect(check.output.contains("s3 buckets: photos at http://127.0.0.1"))
    #expect(wrong.output.contains("wrong  s3 buckets"))
    #expect(proxy.errors.contains("--tier2 needs --tier"))
    for outcome in [config, check, wrong] {
      #expect(!(outcome.output + outcome.errors).contains(S3Origin.secretKey))
    }
    #expect(store.requests.isEmpty)
  }
}
