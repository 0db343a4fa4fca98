import Foundation
import HTTPTypes
import Testing

@testable import HTTPCaching
@testable import ImageModel

/// The choices that RFC 9111 leaves to a cache, and what becomes of a response by them.
@Suite struct `A cache profile` {
  private static let now = Date(timeIntervalSince1970: 1_600_000_000)

  private func action(
    _ fields: HTTPFields, _ profile: CacheProfile, archiving: Bool = false
  ) -> HTTPCacheUpdate.Action {
    var request = HTTPCacheRequest()
    request.mustBeStored = archiving
    let answer = OriginHead(
      status: 200, fields: fields, requestTime: Self.now, responseTime: Self.now)
    return HTTPCacheUpdate(
      after: answer, to: request, asking: nil, stored: [], profile: profile
    ).action
  }

  private func kept(
    _ fields: HTTPFields, _ profile: CacheProfile, archiving: Bool = false
  ) -> StoredResponse? {
    guard
      case .store(let kept) = action(fields, profile, archiving: archiving)
    else {
      return nil
    }
    return kept
  }

  @Test func `of images archives what may not be stored where its name is given`() throws {
    let forbidden: HTTPFields = [.cacheControl: "no-store"]
    let profile = CacheProfile.images(isShared: false)

    #expect(action(forbidden, profile) == .pass)
    let archived = try #require(kept(forbidden, profile, archiving: true))
    #expect(archived.isAlwaysStale)
    let other = try #require(kept([.cacheControl: "max-age=60"], profile, archiving: true))
    #expect(!other.isAlwaysStale)
  }

  @Test func `of images keeps a response that no request selects, a proxy does not`() throws {
    let fields: HTTPFields = [.vary: "*", .cacheControl: "max-age=60"]

    #expect(action(fields, .proxy()) == .pass)
    let archived = try #require(kept(fields, .images(isShared: true)))
    #expect(archived.selection == StoredResponse.selectsNothing)
    #expect(!archived.isSelected(by: [:]))
  }

  @Test(arguments: [
    // Never fresh, and nothing to ask for it with.
    ("max-age=0", false), ("no-cache", false), ("max-age=1", true),
    ("max-age=0, stale-while-revalidate=9", true), ("max-age=0, stale-if-error=9", true),
  ])
  func `of a proxy keeps only what can be of use`(control: String, isUseful: Bool) {
    #expect((kept([.cacheControl: control], .proxy()) != nil) == isUseful)
    #expect(kept([.cacheControl: control, .eTag: "\"1\""], .proxy()) != nil)
    #expect(kept([.cacheControl: control], .images(isShared: true)) != nil)
  }
}
