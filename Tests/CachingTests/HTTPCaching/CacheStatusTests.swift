import HTTPTypes
import Testing

@testable import HTTPCaching

@Suite struct `The Cache-Status of a response` {
  @Test func `of a hit has the seconds until it is stale, negative afterwards`() {
    var status = CacheStatus(.hit)
    #expect("\(status)" == "imgcache; hit")

    status.lifetime = 30
    #expect("\(status)" == "imgcache; hit; ttl=30")
    status.lifetime = -5
    #expect("\(status)" == "imgcache; hit; ttl=-5")
  }

  @Test func `of a miss has its reason, and the origin's status if there was one`() {
    #expect(
      "\(CacheStatus(.forwarded("uri-miss", status: 200)))"
        == "imgcache; fwd=uri-miss; fwd-status=200")
    #expect("\(CacheStatus(.forwarded("stale", status: nil)))" == "imgcache; fwd=stale")
  }

  @Test func `has all its parameters in one order`() {
    var status = CacheStatus(.forwarded("vary-miss", status: 200))
    status.detail = "shared"
    status.isCollapsed = true
    status.isStored = true
    status.lifetime = 0

    #expect(
      "\(status)"
        == "imgcache; fwd=vary-miss; fwd-status=200; ttl=0; stored; collapsed; detail=shared")
  }

  @Test func `is added behind those of caches nearer to the origin, in one line`() throws {
    let name = try #require(HTTPField.Name("Cache-Status"))
    var fields = HTTPFields()
    fields[values: name] = ["origin; hit", "", "cdn; fwd=miss"]

    CacheStatus(.hit).add(to: &fields)

    #expect(fields[values: name] == ["origin; hit, cdn; fwd=miss, imgcache; hit"])
  }

  @Test func `is the only one where no other cache has added any`() throws {
    let name = try #require(HTTPField.Name("Cache-Status"))
    var fields: HTTPFields = [.eTag: "\"1\""]

    CacheStatus(.hit).add(to: &fields)

    #expect(fields[values: name] == ["imgcache; hit"])
    #expect(fields[.eTag] == "\"1\"")
  }
}
