import Testing

@testable import TestSupport

/// Responses that an origin gives to one request, for its fields or its client, and that no other
/// request may get.
@Suite struct `A refusal of one request` {
  private static let fresh = ["Cache-Control: public, max-age=60"]
  /// Statuses that are about one request.
  private static let statuses = [
    401, 406, 407, 408, 411, 412, 413, 415, 417, 421, 425, 426, 428, 429, 431, 511,
  ]

  /// A proxy with a path for each of some statuses.
  private static func start(
    _ statuses: [Int], _ kind: ProxyStorage.Kind = .memory, _ script: (Int) -> [FaultyOrigin.Answer]
  ) async throws -> (proxy: ProxyFixture, origin: FaultyOrigin) {
    let scripts = statuses.map { ("/\($0)", script($0)) }
    return try await ProxyFixture.start(
      Dictionary(uniqueKeysWithValues: scripts), try ProxyStorage(kind))
  }

  @Test(arguments: ProxyStorage.Kind.allCases)
  func `is not stored, whatever it says of its lifetime`(kind: ProxyStorage.Kind) async throws {
    let (proxy, _) = try await Self.start(Self.statuses, kind) {
      [.text("refused", status: $0, fields: Self.fresh), .text("text", fields: Self.fresh)]
    }

    for status in Self.statuses {
      let answers = try (0..<2).map { _ in try proxy.get("/\(status)") }
      #expect(answers.map(\.status) == [status, 200])
    }
  }

  @Test(arguments: [
    "If-Match: \"x\"", "If-Match: *", "If-Unmodified-Since: Sat, 01 Aug 2020 00:00:00 GMT",
  ])
  func `or anything else that a precondition led to is not stored`(line: String) async throws {
    let fields = Self.fresh + ["ETag: \"x\""]
    let statuses = [200, 203, 404, 410, 412]
    let (proxy, origin) = try await Self.start(statuses) {
      [.text("one's own", status: $0, fields: fields), .text("for all", fields: fields)]
    }

    for status in statuses {
      let own = try proxy.get("/\(status)", [line])
      let others = try (0..<2).map { _ in try proxy.get("/\(status)").text }
      #expect(own.status == status && own.text == "one's own")
      #expect(others == ["for all", "for all"])
    }
    #expect(origin.requests.count == 2 * statuses.count)
  }

  @Test(arguments: [[], ["If-Match: \"x\""], ["Range: bytes=0-1"]])
  func `leaves what is stored and stale, for when the origin is gone`(
    lines: [String]
  ) async throws {
    let statuses = Self.statuses + [400, 402, 403, 405, 409, 414, 422, 423, 424]
    let gone = [404, 410, 451]
    let (proxy, _) = try await Self.start(statuses + gone) {
      [
        .text("stored", fields: ["Cache-Control: max-age=10"]), .text("refused", status: $0),
        .rawThenReset([]),
      ]
    }
    for status in statuses + gone { _ = try proxy.get("/\(status)") }
    proxy.clock.advance(by: 20)

    for status in statuses {
      #expect(try proxy.get("/\(status)", lines).status == status)
      let stale = try proxy.get("/\(status)")
      #expect(stale.status == 200 && stale.text == "stored", "\(status)")
    }
    // What says that the resource is gone removes it.
    for status in gone where lines.isEmpty {
      _ = try proxy.get("/\(status)")
      #expect(try proxy.get("/\(status)").status == 502, "\(status)")
    }
  }
}
