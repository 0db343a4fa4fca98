import Foundation
import HTTPTypes
import ImageModel
import Testing

@testable import DiskCaching
@testable import HTTPCaching

@Suite struct `The tags of an entry` {
  private let url = "https://example.org/a.jpg"
  private let date = Date(timeIntervalSince1970: 1_592_300_000)

  private func record(_ headers: String = "") -> CacheRecord {
    var record = CacheRecord(key: .original(url: url), at: date)
    record.headers = HeaderText(text: headers)
    return record
  }

  private func names(_ record: CacheRecord) -> [String] { CacheTag.all(of: record).map(\.name) }

  @Test(arguments: [
    ("a", true), ("day-20200616", true), ("!~", true), ("src-0", true), ("a:b/c", true),
    (String(repeating: "x", count: 1_024), true), (String(repeating: "x", count: 1_025), false),
    ("", false), (" ", false), ("a b", false), ("a,b", false), ("a\n", false), ("\u{7F}", false),
    ("é", false),
  ])
  func `have names of visible ASCII`(name: String, isName: Bool) {
    #expect(CacheTag(name)?.name == (isName ? name : nil))
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

  @Test func `name a URL by its bytes, and a group with a hyphen for each colon`() {
    let tag = CacheTag.source(url)

    #expect(tag.name.hasPrefix("src-") && tag.name.utf8.count == 36)
    // Canonically equivalent, and other bytes.
    #expect(CacheTag.source("https://a/\u{E9}") != CacheTag.source("https://a/e\u{301}"))
    #expect(
      ["day:20200616", "a:b:c", "role", "two words", ""].map { CacheTag.group($0)?.name }
        == ["day-20200616", "a-b-c", "role", nil, nil])
  }

  @Test func `are those of the URL, the host, the groups and the origin, in this order`() throws {
    var record = record("surrogate-key: red blue\ncache-tag: green,\tday-1\n")
    record.groups = ["role:top", "day:2", "day:1", "no tag"]
    record.sharedTags = ["day-9", "day-1", "b,d"]
    func matches(_ names: String...) -> Bool {
      CacheTagMatcher(names.compactMap { CacheTag($0) }).matches(record)
    }

    #expect(
      names(record) == [
        CacheTag.source(url).name, "host-example.org", "day-1", "day-2", "role-top", "day-9",
        "green", "day-1", "red", "blue",
      ])
    for tag in CacheTag.all(of: record) { #expect(matches(tag.name), "\(tag)") }
    #expect(matches("none", "red"))
    #expect(!matches() && !matches("day-3", "host-example.com", "src-00", "Red"))
    #expect(CacheTagMatcher([CacheTag.source(url)]).matches(url: url))
    #expect(!CacheTagMatcher([try #require(CacheTag("day-1"))]).matches(url: url))
    // Of a response they are those of its URL and its fields.
    var response = StoredResponse(CacheRecord(key: .original(url: url), at: record.responseTime))
    response.fields = [try #require(HTTPField.Name("Cache-Tag")): "red"]
    #expect(
      CacheTag.all(of: response, url: url).map(\.name)
        == [CacheTag.source(url).name, "host-example.org", "red"])
  }

  @Test func `are none for a document and for a variant whose source is a hash`() {
    func tags(_ key: CacheKey) -> [String] { names(CacheRecord(key: key, at: date)) }

    #expect(tags(.document(url: url)) == [])
    #expect(tags(.variant(source: String(repeating: "ab", count: 32), recipe: "r")) == [])
    // A variant whose original is not kept names its URL.
    #expect(
      tags(.variant(source: url, recipe: "r")) == [CacheTag.source(url).name, "host-example.org"])
  }

  @Test func `of an origin are at most 64, with 4096 bytes and their separators`() {
    func names(_ list: String) -> [String] {
      CacheTag.ofOrigin(HeaderText(text: "cache-tag: \(list)\n")).map(\.name)
    }
    let long = String(repeating: "x", count: 1_023)

    #expect(
      names((0..<70).map { "t\($0)" }.joined(separator: ",")) == (0..<64).map { "t\($0)" })
    #expect(names("\(long),\(long),\(long),\(long)").count == 4)
    #expect(names("\(long),\(long),\(long),\(long)y,z").count == 3)
    #expect(names(",, a ,\(long)xx,é,b") == ["a", "b"])
  }
}
