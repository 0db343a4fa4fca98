import HTTPTypes
import Testing

@testable import HTTPCaching

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
    #expect(CacheGroups.members(of: try fields("Cache-Groups", lines)) == members)
  }

  @Test func `differ from those that it invalidates`() throws {
    let invalidation = try fields("Cache-Group-Invalidation", [#""a", "b""#])

    #expect(CacheGroups.invalidated(by: invalidation) == ["a", "b"])
    #expect(CacheGroups.members(of: invalidation) == [])
    #expect(CacheGroups.invalidated(by: try fields("Cache-Groups", [#""a""#])) == [])
  }
}
