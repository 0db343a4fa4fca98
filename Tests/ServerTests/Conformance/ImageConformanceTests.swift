import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

/// The cases of the proxy through `data(for:)`: images go through the same HTTP cache.
///
/// It leaves out what a call for an image cannot express: other methods, statuses that it
/// throws, interim responses, ranges and conditions of the client, fields that a cache adds, and
/// codings, which the fetcher decodes.
@Suite struct `Conformance of the image cache` {
  private static let cases = ConformanceCase.all.filter(isExpressible)

  private static func isExpressible(_ test: ConformanceCase) -> Bool {
    let added = ["age", "via", "cache-status", "warning"]
    let conditions = ["range", "if-range", "if-none-match", "if-modified-since", "if-match"]
    let codings = ["content-encoding", "transfer-encoding"]
    return test.steps.allSatisfy { step in
      step.method == "GET" && step.body == nil && step.status == 200 && step.interim.isEmpty
        && step.hasInterim == nil && !step.hangsUp && step.asksBy == nil
        && (step.gives ?? 200) == 200
        && !(step.has + step.lacks).contains { added.contains(name(of: $0)) }
        && !step.send.contains { conditions.contains(name(of: $0)) }
        && !step.answer.contains { codings.contains(name(of: $0)) }
    }
  }

  private static func name(of line: String) -> String {
    line.drop { $0 == "~" }.prefix { $0 != ":" && $0 != " " }.lowercased()
  }

  /// Deliberate differences of an image cache, in both profiles.
  private static let deviations: [String: String] = [
    "headers-store-Set-Cookie": cookies, "304-etag-update-response-Set-Cookie": cookies,
    "other-set-cookie": cookies, "headers-omit-headers-listed-in-Cache-Control-no-cache": fields,
    "headers-omit-headers-listed-in-Cache-Control-no-cache-single": fields,
    "other-cookie": credentials, "other-authorization-must-revalidate": credentials,
    "other-authorization-smaxage": credentials,
  ]
  private static let cookies = "the value of a cookie is a secret that no image needs"
  private static let credentials = "what does not say public is for requests with its credentials"
  private static let fields = "an image is handed out without fields"

  /// Cases about shared caches.
  private static let ofSharedCaches: Set<String> = [
    "freshness-max-age-s-maxage-shared-longer", "freshness-max-age-s-maxage-shared-longer-multiple",
    "freshness-max-age-s-maxage-shared-longer-reversed", "freshness-s-maxage-shared",
    "cc-resp-private-shared", "other-authorization", "cdn-private", "cdn-max-age-long-cc-max-age",
    "cdn-max-age-0-expires", "cdn-no-store-cc-fresh", "cdn-no-cache", "cdn-fresh-cc-nostore",
  ]

  @Test(arguments: cases)
  private func `the shared profile behaves as a shared cache must`(
    test: ConformanceCase
  ) async throws {
    let verdict = try await Self.verdict(on: test, isShared: true)

    switch test.kind {
    case .required: #expect((verdict == .holds) == (Self.deviations[test.id] == nil), "\(verdict)")
    case .optimal:
      let isDeclined =
        Self.deviations[test.id] != nil || `Conformance of the proxy`.declined[test.id] != nil
      #expect((verdict == .holds) != isDeclined, "\(verdict)")
    case .choice(let ours):
      let isOurs = ours && Self.deviations[test.id] == nil
      #expect((verdict == .holds) == isOurs, "\(verdict)")
    }
  }

  @Test(arguments: cases.filter { !ofSharedCaches.contains($0.id) })
  private func `the private profile behaves as any cache must`(test: ConformanceCase) async throws {
    guard test.kind == .required else { return }
    let verdict = try await Self.verdict(on: test, isShared: false)

    #expect((verdict == .holds) == (Self.deviations[test.id] == nil), "\(verdict)")
  }

  @Test func `most of the cases can be expressed`() { #expect(Self.cases.count > 100) }

  private static func verdict(
    on test: ConformanceCase, isShared: Bool
  ) async throws -> ConformanceRun.Verdict {
    let clock = ManualClock(Date(timeIntervalSince1970: 1_600_000_000))
    let origin = try ConformanceOrigin(test, clock: clock)
    let scratch = try Scratch()
    var disk = DiskCache.Configuration(directory: scratch / "cache")
    disk.clock = { clock.now }
    let fetcher = try FetcherFixture { $0.clock.date = { clock.now } }.fetcher
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.diskCache = try DiskCache(disk)
    configuration.isShared = isShared
    configuration.clock = { clock.now }
    let pipeline = try ImagePipeline(configuration)
    let url = origin.url
    let run = ConformanceRun(test: test, clock: clock, origin: origin) { _, path, lines, _ in
      var request = ImageRequest(url: url + path)
      request.decoding.check = .none
      for line in lines {
        let parts = line.split(separator: ":", maxSplits: 1).map(\.trimmingBlanks)
        guard let name = HTTPField.Name(parts[0]) else { continue }
        request.network.headers.append(HTTPField(name: name, value: parts[1]))
      }
      do {
        let response = try await pipeline.data(for: request)
        return RawAnswer(
          interim: [], status: response.original.status,
          fields: response.original.headers.fields.map { ($0.name.canonicalName, $0.value) },
          body: try response.bytes(), isWhole: true)
      } catch let error as ImageError where error.status != nil {
        let fields = error.head?.fields ?? [:]
        return RawAnswer(
          interim: [], status: error.status ?? 0,
          fields: fields.map { ($0.name.canonicalName, $0.value) }, body: [], isWhole: true)
      }
    }
    let verdict = try await run.play()
    await pipeline.close()
    return verdict
  }
}
