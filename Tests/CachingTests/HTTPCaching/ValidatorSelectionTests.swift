import Foundation
import HTTPTypes
import Testing

@testable import HTTPCaching
@testable import ImageModel

/// Which stored response a 304 confirms, and what it changes of it (RFC 9111 §4.3.4, §3.2).
@Suite struct `A 304 response` {
  private static let changed = "Sun, 06 Nov 1994 08:49:37 GMT"
  private static let other = "Mon, 07 Nov 1994 08:49:37 GMT"

  private func stored(_ fields: HTTPFields, date: Double = 0) -> StoredResponse {
    let time = Date(timeIntervalSince1970: 1_600_000_000 + date)
    return StoredResponse(status: 200, fields: fields, requestTime: time, responseTime: time)
  }

  private func selected(
    by fields: HTTPFields, _ stored: [StoredResponse], nominated: [Int]? = nil
  ) -> Int? {
    HTTPValidation.selected(
      by: fields, among: stored, nominated: nominated ?? Array(stored.indices))
  }

  /// The fields of a 304, those of the stored responses, and which of them it confirms.
  private static let selections: [(HTTPFields, [HTTPFields], [Int]?, Int?)] = {
    let tagged: [HTTPFields] = [[.eTag: "\"a\""], [.eTag: "\"b\""], [:]]
    let weak: [HTTPFields] = [[.eTag: "W/\"a\""]]
    let dated: [HTTPFields] = [[.lastModified: changed], [.lastModified: other]]
    return [
      ([.eTag: "\"b\""], tagged, nil, 1), ([.eTag: "\"c\""], tagged, nil, nil),
      // A strong tag does not select a weak one.
      ([.eTag: "\"a\""], weak, nil, nil), ([.eTag: "W/\"a\""], weak, nil, 0),
      ([.eTag: "W/\"a\""], tagged, nil, 0),
      // Without a tag the date of the last change selects.
      ([.lastModified: other], dated, nil, 1),
      ([.eTag: "\"b\"", .lastModified: other], dated, nil, nil),
      ([.lastModified: "Tue, 08 Nov 1994 08:49:37 GMT"], dated, [0], nil),
      // Without a validator it is about the only response that was asked about.
      ([:], tagged, [1], 1), ([:], tagged, [0, 1], nil),
    ]
  }()

  @Test(arguments: selections)
  func `selects the response that its validator names`(
    fields: HTTPFields, responses: [HTTPFields], nominated: [Int]?, expected: Int?
  ) {
    #expect(selected(by: fields, responses.map { stored($0) }, nominated: nominated) == expected)
  }

  @Test func `selects the newest of several, and only one that was asked about`() {
    let responses = [
      stored([.eTag: "\"a\""], date: 1), stored([.eTag: "\"a\""], date: 3),
      stored([.eTag: "\"a\""], date: 2),
    ]

    #expect(selected(by: [.eTag: "\"a\""], responses) == 1)
    #expect(selected(by: [.eTag: "\"a\""], responses, nominated: [0, 2]) == 2)
    #expect(selected(by: [.eTag: "\"a\""], responses, nominated: []) == nil)
  }

  // MARK: Fields

  @Test(arguments: [
    HTTPField.Name.contentLength, .contentEncoding, .contentType, .contentRange,
    .transferEncoding,
  ])
  func `neither changes nor adds what describes the stored bytes`(name: HTTPField.Name) {
    #expect(HTTPValidation.merge([name: "1"], with: [name: "2"])[values: name] == ["1"])
    #expect(HTTPValidation.merge([:], with: [name: "2"]).isEmpty)
  }

  @Test func `adds fields up to a bound, however often it is repeated`() {
    var fields: HTTPFields = [.eTag: "\"1\"", .contentType: "image/png"]
    for turn in 0..<20 {
      var new: HTTPFields = [.eTag: "\"\(turn)\""]
      for number in 0..<900 {
        new.append(HTTPField(name: HTTPField.Name("X-\(turn)-\(number)")!, value: ""))
      }
      fields = HTTPValidation.merge(fields, with: new)
      #expect(fields[.eTag] == "\"\(turn)\"" && fields[.contentType] == "image/png")
      #expect(fields.count <= 2_000)
    }
  }
}

@Suite struct `An entity tag` {
  private func tag(_ text: String) -> EntityTag { EntityTag(Array(text.utf8)) }

  /// The examples of RFC 9110 §8.8.3.2; a `W` in lower case, and one letter in two Unicode
  /// spellings.
  @Test(arguments: [
    ("W/\"1\"", "W/\"1\"", false, true), ("W/\"1\"", "W/\"2\"", false, false),
    ("W/\"1\"", "\"1\"", false, true), ("\"1\"", "\"1\"", true, true),
    ("w/\"1\"", "\"1\"", false, false), ("\"\u{E9}\"", "\"e\u{301}\"", false, false),
  ])
  func `is compared as RFC 9110 says, byte for byte`(
    one: String, other: String, strong: Bool, weak: Bool
  ) {
    #expect(tag(one).stronglyMatches(tag(other)) == strong)
    #expect(tag(other).stronglyMatches(tag(one)) == strong)
    #expect(tag(one).weaklyMatches(tag(other)) == weak)
    #expect(tag(other).weaklyMatches(tag(one)) == weak)
    // Bytes that are not UTF-8.
    let bytes = EntityTag([0x22, 0xFF, 0x22])
    #expect(bytes.stronglyMatches(bytes) && !bytes.weaklyMatches(EntityTag([0x22, 0xFE, 0x22])))
  }

  @Test(
    arguments: [
      (["\"a\", W/\"b\"", " \"c\"\t"], ["\"a\"", "W/\"b\"", "\"c\""]),
      (["\"a,b\",\"c\""], ["\"a,b\"", "\"c\""]), ([""], []), ([" "], []), ([","], []),
      ([" , ,\t"], []), (["\"*\""], ["\"*\""]),
    ] as [([String], [String])])
  func `is read from a list of one or several lines`(lines: [String], tags: [String]) {
    #expect(EntityTag.list(lines.map { Array($0.utf8) }) == tags.map(tag))
  }

  @Test func `of any response is an asterisk without quotes`() {
    #expect(EntityTag.list([Array("*".utf8)]) == [.any])
    #expect(tag("\"*\"") != .any)
  }
}
