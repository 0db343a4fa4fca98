import HTTPTypes
import ImageModel
import Testing

@testable import HTTPListening

@Suite struct `An admin key` {
  private let keys = [
    SigningKey(name: "one", secret: Array("first".utf8)),
    SigningKey(name: nil, secret: Array("second key".utf8)),
  ]

  @Test(arguments: [
    "Bearer first", "Bearer second key", "bearer first", "BEARER first", "Bearer    first",
  ])
  func `is accepted after the scheme in any case`(value: String) {
    #expect(keys.admit([.authorization: value]))
  }

  @Test(arguments: [
    "", "first", "Bearer", "Bearer ", "Bearer First", "Bearer firs", "Bearer first1",
    "Basic first", "Bearer one:first", "Bearer one", "Bearer second", "Bearerfirst",
    "Bearer\tfirst", "Bearer first,second key",
  ])
  func `is refused if it is not exactly one of the secrets`(value: String) {
    #expect(!keys.admit([.authorization: value]))
  }

  @Test func `is refused in two fields, even if both are right, and where there are no keys`() {
    var fields: HTTPFields = [.authorization: "Bearer first"]
    fields.append(HTTPField(name: .authorization, value: "Bearer first"))

    #expect(!keys.admit(fields) && !keys.admit([:]))
    for value in ["Bearer ", "Bearer first"] {
      #expect(![SigningKey]().admit([.authorization: value]))
    }
  }

  @Test(arguments: [
    ("", "the key file has no key"), ("# only a comment\n\n", "the key file has no key"),
    ("a:1\na:2\n", "the key file has two keys of one name"),
    ("one\ntwo\n", "the key file has two keys of one name"),
    (
      "# keys\n\nk1:\n",
      "line 3 of the key file has no secret: write NAME:SECRET, or a secret alone"
    ),
    (" :x\n", "line 1 of the key file has no name: write NAME:SECRET, or a secret alone"),
  ])
  func `is not read from a malformed file, and the reason is given`(text: String, message: String) {
    let error = #expect(throws: ImageError.self) { try SigningKey.list(text) }

    #expect(error?.code == .invalidArgument)
    #expect(error?.message == message)
  }

  @Test func `may contain a colon, if what precedes it is not a name`() throws {
    let long = String(repeating: "n", count: 65)

    for line in ["a b:c", "é:c", "\(long):c", "a.b:c"] {
      #expect(try SigningKey.list(line) == [SigningKey(name: nil, secret: Array(line.utf8))])
    }
    #expect(
      try SigningKey.list("a_b-9:c:d") == [SigningKey(name: "a_b-9", secret: Array("c:d".utf8))])
  }
}
