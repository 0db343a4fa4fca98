import Foundation
import HTTPTypes
import ImageModel
import Testing

@testable import DiskCaching
@testable import HTTPCaching

@Suite struct `The tags of an entry` {
  private let url = "https://example.org/a.jpg"
  private let date = Date(timeIntervalSince1970: 1_592_300_000)

  private func names(_ tags: [CacheTag]) -> [String] { tags.map(\.name) }

  private func fields(_ pairs: [(String, String)]) throws -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in pairs {
      fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    return fields
  }

  @Test(arguments: [
    "a", "day-20200616", "!~", "src-0", "a:b/c", String(repeating: "x", count: 1_024),
  ])
  func `have names of visible ASCII`(name: String) {
    #expect(CacheTag(name)?.name == name)
    #expect(CacheTag(name)?.description == name)
  }

  @Test(arguments: [
    "", " ", "a b", "a,b", "a\n", "\u{7F}", "é", String(repeating: "x", count: 1_025),
  ])
  func `have no other names`(name: String) {
    #expect(CacheTag(name) == nil)
  }

  @Test(
    arguments: [
      ("https://example.org/a.jpg", "host-example.org" as String?),
      ("http://EXAMPLE.org:8080/b", "host-example.org"), ("s3://photos/a/b.jpg", "host-photos"),
      ("not a URL", nil), ("", nil),
    ] as [(String, String?)])
  func `name the host of a URL or its bucket, without a port`(url: String, expected: String?) {
    #expect(CacheTag.host(url)?.name == expected)
  }

  @Test func `name a URL by its bytes`() {
    let tag = CacheTag.source(url)

    #expect(tag.name.hasPrefix("src-") && tag.name.utf8.count == 36)
    #expect(tag == CacheTag.source(url))
    // Canonically equivalent, and other bytes.
    #expect(CacheTag.source("https://a/\u{E9}") != CacheTag.source("https://a/e\u{301}"))
  }

  @Test(
    arguments: [
      ("day:20200616", "day-20200616" as String?), ("a:b:c", "a-b-c"), ("role", "role"),
      ("two words", nil),
      ("", nil),
    ] as [(String, String?)])
  func `name a group, with a hyphen for each colon`(group: String, expected: String?) {
    #expect(CacheTag.group(group)?.name == expected)
  }

  @Test func `are those of the URL, the host, the groups and the origin, in this order`() throws {
    var record = CacheRecord(key: .original(url: url), at: date)
    record.groups = ["role:top", "day:2", "day:1", "no tag"]
    record.sharedTags = ["day-9", "day-1", "b,d"]
    record.headers = HeaderText(
      try fields([("Surrogate-Key", "red blue"), ("Cache-Tag", "green,\tday-1")]))

    #expect(
      names(CacheTag.all(of: record)) == [
        CacheTag.source(url).name, "host-example.org", "day-1", "day-2", "role-top", "day-9",
        "green", "day-1", "red", "blue",
      ])
  }

  @Test func `are none for a document and for a variant whose source is a hash`() {
    func tags(_ key: CacheKey) -> [String] {
      names(CacheTag.all(of: CacheRecord(key: key, at: date)))
    }

    #expect(tags(.document(url: url)) == [])
    #expect(tags(.variant(source: String(repeating: "ab", count: 32), recipe: "r")) == [])
    // A variant whose original is not kept names its URL.
    #expect(
      tags(.variant(source: url, recipe: "r")) == [CacheTag.source(url).name, "host-example.org"])
  }

  @Test func `of an origin are at most 64`() throws {
    let list = (0..<70).map { "t\($0)" }.joined(separator: ",")

    let tags = CacheTag.ofOrigin(HeaderText(try fields([("Cache-Tag", list)])))

    #expect(names(tags) == (0..<64).map { "t\($0)" })
  }

  @Test func `of an origin have at most 4096 bytes with their separators`() throws {
    let long = String(repeating: "x", count: 1_023)

    let fitting = try fields([("Cache-Tag", "\(long),\(long),\(long),\(long)")])
    let excessive = try fields([("Cache-Tag", "\(long),\(long),\(long),\(long)y,z")])

    #expect(CacheTag.ofOrigin(HeaderText(fitting)).count == 4)
    #expect(CacheTag.ofOrigin(HeaderText(excessive)).count == 3)
  }

  @Test func `of an origin without a valid name are left out`() throws {
    let tooLong = String(repeating: "x", count: 1_025)
    let fields = try fields([("Cache-Tag", ",, a ,\(tooLong),é,b"), ("Surrogate-Key", "")])

    #expect(names(CacheTag.ofOrigin(HeaderText(fields))) == ["a", "b"])
  }

  @Test func `match a record by its URL, host, groups, shared tags and origin's tags`() throws {
    var record = CacheRecord(key: .original(url: url, vary: "accept"), at: date)
    record.groups = ["day:1"]
    record.sharedTags = ["day-7"]
    record.headers = HeaderText(try fields([("Cache-Tag", "red")]))
    func matches(_ names: String...) -> Bool {
      CacheTagMatcher(names.compactMap { CacheTag($0) }).matches(record)
    }

    for tag in CacheTag.all(of: record) { #expect(matches(tag.name), "\(tag)") }
    #expect(matches("none", "red"))
    #expect(!matches())
    #expect(!matches("day-2", "host-example.com", "src-00", "Red"))
    #expect(CacheTagMatcher([CacheTag.source(url)]).matches(url: url))
    #expect(!CacheTagMatcher([try #require(CacheTag("day-1"))]).matches(url: url))
  }

  @Test func `of a response without groups are those of its URL and its fields`() throws {
    let response = StoredResponse(
      CacheRecord(key: .original(url: url), at: date))
    var tagged = response
    tagged.fields = try fields([("Cache-Tag", "red")])

    #expect(
      names(CacheTag.all(of: tagged, url: url))
        == [CacheTag.source(url).name, "host-example.org", "red"])
  }
}
