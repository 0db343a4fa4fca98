import Foundation
import Testing

@testable import TestSupport

@Suite struct `Conformance of the proxy` {
  /// Unsupported cases, with the reason.
  static let declined: [String: String] = [
    "vary-normalise-lang-select":
      "RFC 9111 §4.1 lets a cache rewrite the fields it compares, not negotiate in the origin's place",
    "partial-store-partial-complete":
      "without a strong validator the rest cannot be joined (RFC 9111 §3.4)",
  ]

  @Test(arguments: ConformanceCase.all)
  func `the proxy behaves as a shared cache must`(test: ConformanceCase) async throws {
    let verdict = try await Self.verdict(on: test)

    switch test.kind {
    case .required: #expect(verdict == .holds)
    case .optimal: #expect((verdict == .holds) == (Self.declined[test.id] == nil), "\(verdict)")
    case .choice(let ours): #expect((verdict == .holds) == ours, "\(verdict)")
    }
  }

  @Test func `no two cases share a name`() {
    let ids = ConformanceCase.all.map(\.id)

    #expect(ids.count > 300)
    #expect(Set(ids).count == ids.count)
  }

  static func verdict(on test: ConformanceCase) async throws -> ConformanceRun.Verdict {
    let clock = ManualClock(Date(timeIntervalSince1970: 1_600_000_000))
    let origin = try ConformanceOrigin(test, clock: clock)
    // The public suite expects responses with `Set-Cookie` to be stored.
    let proxy = try await ProxyFixture(origin: origin.url, clock: clock, storesSetCookie: true)
    let port = proxy.port
    let run = ConformanceRun(test: test, clock: clock, origin: origin) {
      method, path, lines, body in
      try RawClient(port: port).exchange(method, path, lines: lines, body: body)
    }
    let verdict = try await run.play()
    try await proxy.stop()
    return verdict
  }
}
