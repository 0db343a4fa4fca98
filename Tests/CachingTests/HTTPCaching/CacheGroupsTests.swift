import HTTPTypes
import Testing

@testable import HTTPCaching

@Suite struct `The cache groups of a response` {
  private func fields(_ name: String, _ lines: [String]) throws -> HTTPFields {
    let name = try #require(HTTPField.Name(name))
    var fields = HTTPFields()
    fields[values: name] = lines
    return fields
  }

  private func members(_ lines: String...) throws -> Set<String> {
    CacheGroups.members(of: try fields("Cache-Groups", lines))
  }

  @Test func `are the strings of all lines of its field`() throws {
    #expect(try members(#""a", "b c""#, #""d""#) == ["a", "b c", "d"])
  }

  @Test func `are told apart by case, and counted once`() throws {
    #expect(try members(#""a", "A", "a""#) == ["a", "A"])
  }

  @Test func `have their escapes removed and their parameters ignored`() throws {
    #expect(try members(#""a\"b";x=1, "c\\d""#) == [#"a"b"#, #"c\d"#])
  }

  @Test func `do not include members that are not strings`() throws {
    #expect(try members(#"token, 12, ?1, "a", ("b" "c")"#) == ["a"])
  }

  @Test(arguments: [#""a", "b"#, #""a" "b""#, #""a","#, "", ",", #""a\n""#])
  func `are none where the field is not a list`(line: String) throws {
    #expect(try members(line) == [])
  }

  @Test func `are none in a field of more than 8 KiB`() throws {
    let most = "\"\(String(repeating: "a", count: 8190))\""
    let more = "\"\(String(repeating: "a", count: 8191))\""

    #expect(try members(most).count == 1)
    #expect(try members(more) == [])
  }

  @Test func `differ from those that it invalidates`() throws {
    let invalidation = try fields("Cache-Group-Invalidation", [#""a", "b""#])

    #expect(CacheGroups.invalidated(by: invalidation) == ["a", "b"])
    #expect(CacheGroups.members(of: invalidation) == [])
    #expect(CacheGroups.invalidated(by: try fields("Cache-Groups", [#""a""#])) == [])
  }
}
