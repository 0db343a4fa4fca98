import HTTPTypes
import Testing

@testable import HTTPCaching

@Suite struct `The Cache-Status of a response` {
  @Test func `has its parameters in one order`() {
    var hit = CacheStatus(.hit)
    #expect("\(hit)" == "imgcache; hit")
    hit.lifetime = -5
    #expect("\(hit)" == "imgcache; hit; ttl=-5")
    #expect("\(CacheStatus(.forwarded("stale", status: nil)))" == "imgcache; fwd=stale")
    var miss = CacheStatus(.forwarded("vary-miss", status: 200))
    (miss.detail, miss.isCollapsed, miss.isStored, miss.lifetime) = ("shared", true, true, 0)

    #expect(
      "\(miss)"
        == "imgcache; fwd=vary-miss; fwd-status=200; ttl=0; stored; collapsed; detail=shared")
  }

  @Test(
    arguments: [
      ([], "imgcache; hit"),
      (["origin; hit", "", "cdn; fwd=miss"], "origin; hit, cdn; fwd=miss, imgcache; hit"),
    ] as [([String], String)])
  func `is added behind those of caches nearer to the origin, in one line`(
    lines: [String], expected: String
  ) throws {
    let name = try #require(HTTPField.Name("Cache-Status"))
    var fields: HTTPFields = [.eTag: "\"1\""]
    fields[values: name] = lines

    CacheStatus(.hit).add(to: &fields)

    #expect(fields[values: name] == [expected])
    #expect(fields[.eTag] == "\"1\"")
  }
}
