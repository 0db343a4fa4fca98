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

  @Test func `selects the response with its tag`() {
    let responses = [stored([.eTag: "\"a\""]), stored([.eTag: "\"b\""]), stored([:])]

    #expect(selected(by: [.eTag: "\"b\""], responses) == 1)
    #expect(selected(by: [.eTag: "\"c\""], responses) == nil)
  }

  @Test func `with a strong tag does not select a response with a weak one`() {
    let responses = [stored([.eTag: "W/\"a\""])]

    #expect(selected(by: [.eTag: "\"a\""], responses) == nil)
    #expect(selected(by: [.eTag: "W/\"a\""], responses) == 0)
    #expect(selected(by: [.eTag: "W/\"a\""], [stored([.eTag: "\"a\""])]) == 0)
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

  @Test func `without a tag selects by the date of the last change`() {
    let responses = [stored([.lastModified: Self.changed]), stored([.lastModified: Self.other])]

    #expect(selected(by: [.lastModified: Self.other], responses) == 1)
    #expect(selected(by: [.eTag: "\"b\"", .lastModified: Self.other], responses) == nil)
    #expect(
      selected(by: [.lastModified: "Tue, 08 Nov 1994 08:49:37 GMT"], responses, nominated: [0])
        == nil)
  }

  @Test func `without a validator is about the only response that was asked about`() {
    let responses = [stored([.eTag: "\"a\""]), stored([.eTag: "\"b\""])]

    #expect(selected(by: [:], responses, nominated: [1]) == 1)
    #expect(selected(by: [:], responses, nominated: [0, 1]) == nil)
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

  // MARK: The request for it

  @Test func `is not requested by a tag of more than 1 KiB`() {
    let longest = "\"" + String(repeating: "a", count: 1022) + "\""

    #expect(HTTPValidation.conditions(for: [.eTag: longest])[.ifNoneMatch] == longest)
    let conditions = HTTPValidation.conditions(for: [
      .eTag: longest + "a", .lastModified: Self.changed,
    ])
    #expect(conditions[.ifNoneMatch] == nil)
    #expect(conditions[.ifModifiedSince] == Self.changed)
  }
}
