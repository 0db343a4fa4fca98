import Foundation
import Testing

@testable import HTTPListening
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

/// Expiring signatures in caches, and parameters in other spellings.
@Suite struct `Signatures and spellings` {
  private static let key = SigningKey(name: "k", secret: Array("secret".utf8))
  private static let picture = SampleImages.widePhoto

  private func server(
    _ fields: [String], clock: ManualClock = ManualClock(Date()),
    serving change: (inout ThumbnailServer.Configuration) -> Void = { _ in }
  ) async throws -> ServerFixture {
    try await ServerFixture(
      ["/a.jpg": [.whole(Self.picture, fields: fields)]], clock: clock,
      serving: {
        $0.signingKeys = [Self.key]
        change(&$0)
      })
  }

  /// The seconds for which a cache may use a response, fresh and stale.
  private func seconds(_ answer: RawAnswer) -> Int {
    func value(_ name: String) -> Int? {
      answer["cache-control"]?.split(separator: ",").lazy
        .map { $0.filter { $0 != " " } }.first { $0.hasPrefix(name + "=") }
        .flatMap { Int($0.dropFirst(name.count + 1)) }
    }
    guard let age = value("max-age") else { return 0 }
    let stale = max(value("stale-while-revalidate") ?? 0, value("stale-if-error") ?? 0)
    return age - (answer["age"].flatMap { Int($0) } ?? 0) + stale
  }

  @Test(arguments: [
    "max-age=3600", "max-age=3600, stale-while-revalidate=600, stale-if-error=9000",
    "max-age=20, stale-while-revalidate=600, stale-if-error=9000", "max-age=20",
  ])
  func `a signed response expires in caches with its signature`(control: String)
    async throws
  {
    let clock = ManualClock(Date(timeIntervalSince1970: 1_800_000_000.75))
    let end = Date(timeIntervalSince1970: 1_800_000_060)
    let server = try await server(["Cache-Control: \(control)", "Age: 3"], clock: clock) {
      $0.grace.whileRevalidating = 500
      $0.grace.onError = 500
    }
    let signer = URLSigner(keys: [Self.key])
    for target in [server.thumb("/a.jpg"), server.image("/a.jpg")] {
      let signed = try signer.sign(target, expires: end)
      func check(_ method: String, _ lines: [String] = []) async throws -> RawAnswer {
        let answer = try await server.exchange(method, signed, lines)
        let left = end.timeIntervalSince(clock.now)
        #expect(Double(seconds(answer)) <= left, "\(answer["cache-control"] ?? ""), \(left)")
        return answer
      }

      let cold = try await check("GET")
      let hot = try await check("GET")
      let tag = cold["etag"] ?? ""
      let known = try await check("GET", ["If-None-Match: \(tag)"])
      let listed = try await check("GET", ["If-None-Match: \"x\", \(tag)"])
      let part = try await check("GET", ["Range: bytes=0-9"])
      _ = try await check("HEAD")
      clock.advance(by: 5.3)
      let later = try await check("GET")

      #expect([cold, hot, later].allSatisfy { $0.status == 200 })
      #expect([known, listed].allSatisfy { $0.status == 304 })
      #expect(part.status == 206)
      #expect(hot["cache-status"] == "imgcache; hit; detail=memory")
      #expect(seconds(cold) > 10)
      if control == "max-age=3600" {
        #expect(cold["cache-control"]?.contains("must-revalidate") == true)
      }
    }
    let signed = try signer.sign(server.thumb("/a.jpg"), expires: end)
    clock.advance(by: 48)
    let last = try await server.get(signed)
    clock.advance(by: 2)
    let over = try await server.get(signed)

    #expect(Double(seconds(last)) <= end.timeIntervalSince(clock.now) + 2)
    #expect(over.status == 403)
    #expect(over["cache-control"] == "no-store")
  }

  @Test func `a percent-encoded format is negotiated all the same`() async throws {
    let server = try await ServerFixture(
      ["/a.jpg": [.whole(Self.picture, fields: ["Cache-Control: max-age=1000"])]])
    for format in [
      "format=auto", "format=%61uto", "form%61t=auto", "%66ormat=%61%75%74%6F", "w=1&format=a%75to",
    ] {
      let target = server.thumb("/a.jpg", format.hasPrefix("w") ? format : "w=40&\(format)")
      for _ in 0..<2 {
        let jpeg = try await server.get(target, ["Accept: image/jpeg"])
        let png = try await server.get(target, ["Accept: image/png"])

        #expect(jpeg["content-type"] == "image/jpeg", "\(format)")
        #expect(png["content-type"] == "image/png", "\(format)")
        #expect([jpeg, png].allSatisfy { $0["vary"] == "Accept" }, "\(format)")
      }
    }
    let fixed = server.thumb("/a.jpg", "w=40&format=%70ng")
    _ = try await server.get(fixed, ["Accept: image/png"])
    let other = try await server.get(fixed, ["Accept: image/jpeg"])

    #expect(other["content-type"] == "image/png")
    #expect(other["vary"] == nil)
  }

  @Test(arguments: [
    ("/thumb?url=u&w=1", true), ("/thumb?url=u&format=auto", true),
    ("/thumb?url=u&format=%61uto&w=1", true), ("/thumb?url=u&%66ormat=auto", true),
    ("/thumb?format=jpeg&url=u", true), ("/thumb?url=u&format=jpeg", false),
    ("/thumb?url=u&format=png&w=1%20", false), ("/thumb?url=u&xformat=png&format=auto&w=1", true),
    ("/image?url=u", false),
  ])
  func `only a plainly spelled format counts as fixed`(target: String, isNegotiated: Bool) {
    #expect(ResponseCache.isNegotiated(target) == isNegotiated)
  }

  @Test func `a signature is verified and left out of the log however its key is spelled`()
    async throws
  {
    let lines = Locked<[String]>([])
    let server = try await server(["Cache-Control: max-age=1000"]) {
      $0.accessLog = .init { line in lines.withLock { $0.append(line) } }
    }
    let signed = try URLSigner(keys: [Self.key]).sign(server.thumb("/a.jpg"))
    let code = String(try #require(signed.firstRange(of: "&sig=").map { signed[$0.upperBound...] }))
    let spelled = signed.replacing("&sig=", with: "&%73%69g=")

    let cold = try await server.get(spelled)
    let hot = try await server.get(spelled)
    let twice = try await server.get(signed + "&%73ig=\(code)")
    let other = try await server.get(signed + "&%77=41")
    let path = try await server.get("/%74humb" + signed.dropFirst("/thumb".count))

    #expect(cold.status == 200)
    #expect(hot["cache-status"] == "imgcache; hit; detail=memory")
    #expect([twice, other].allSatisfy { $0.status == 400 })
    #expect(path.status == 404 || path.status == 403)
    #expect(lines.withLock { $0.count } == 5)
    #expect(lines.withLock { lines in lines.allSatisfy { !$0.contains(code) } })
  }
}
