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
  func `a signed response expires in caches with its signature`(control: String) async throws {
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
}
