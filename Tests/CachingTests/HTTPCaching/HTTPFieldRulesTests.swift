import HTTPTypes
import Testing

@testable import HTTPCaching

@Suite struct `A field of a message` {
  private func fields(_ pairs: KeyValuePairs<String, String>) throws -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs {
      fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    return fields
  }

  private func names(_ fields: HTTPFields) -> [String] { fields.map(\.name.rawName) }

  @Test(arguments: [
    "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info",
    "Proxy-Authorization", "Proxy-Connection", "TE", "Trailer", "Transfer-Encoding", "Upgrade",
  ])
  func `of one connection is not passed on, nor one that Connection names`(name: String) throws {
    let message = try fields([
      name: "x", "Connection": "close, x-ONE", "X-One": "1", "X-Two": "2",
      "Connection": " X-Three ",
      "X-Three": "3",
    ])

    #expect(names(message.endToEnd) == ["X-Two"])
  }

  @Test(arguments: ["Vary", "Cache-Control", "Set-Cookie", "Content-Length", "Age", "ETag"])
  func `that the response depends on is passed on though Connection names it`(name: String) throws {
    let message = try fields(["Connection": name, name: "x"])

    #expect(names(message.endToEnd) == [name])
  }

  @Test(
    arguments: [
      ("no-cache=\"X-One\", private=\"x-two\"", [], ["X-Two"]),
      ("no-cache", ["X-One", "X-Two"], ["X-One", "X-Two"]),
    ] as [(String, [String], [String])])
  func `that no-cache names is not reused, and one that private names not in a shared cache`(
    control: String, shared: [String], own: [String]
  ) throws {
    let message = try fields(["Cache-Control": control, "X-One": "1", "X-Two": "2"])

    #expect(names(CacheProfile(isShared: true).reusable(message)).dropFirst() == shared[...])
    #expect(names(CacheProfile().reusable(message)).dropFirst() == own[...])
  }
}

@Suite struct `The cache groups of a response` {
  private func fields(_ name: String, _ lines: [String]) throws -> HTTPFields {
    var fields = HTTPFields()
    fields[values: try #require(HTTPField.Name(name))] = lines
    return fields
  }

  @Test(
    arguments: [
      ([#""a", "b c""#, #""d""#], ["a", "b c", "d"]),
      // Told apart by case, and counted once; escapes removed, parameters and others ignored.
      ([#""a", "A", "a""#], ["a", "A"]), ([#""a\"b";x=1, "c\\d""#], [#"a"b"#, #"c\d"#]),
      ([#"token, 12, ?1, "a", ("b" "c")"#], ["a"]),
      // None where the field is not a list, or has more than 8 KiB.
      ([#""a", "b"#], []), ([#""a" "b""#], []), ([#""a","#], []), ([""], []), ([","], []),
      ([#""a\n""#], []), (["\"\(String(repeating: "a", count: 8191))\""], []),
      (["\"\(String(repeating: "a", count: 8190))\""], [String(repeating: "a", count: 8190)]),
    ] as [([String], Set<String>)])
  func `are the strings of all lines of its field`(lines: [String], members: Set<String>) throws {
    #expect(try fields("Cache-Groups", lines).cacheGroups == members)
  }
}

@Suite struct `The Cache-Status of a response` {
  @Test func `has its parameters in one order`() {
    var hit = CacheStatus(.hit)
    #expect("\(hit)" == "imgcache; hit")
    hit.lifetime = -5
    #expect("\(hit)" == "imgcache; hit; ttl=-5")
    #expect("\(CacheStatus(.forwarded(.stale, status: nil)))" == "imgcache; fwd=stale")
    var miss = CacheStatus(.forwarded(.noVariant, status: 200))
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
