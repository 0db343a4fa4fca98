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

    #expect(names(HTTPFieldRules.endToEnd(message)) == ["X-Two"])
  }

  @Test(arguments: ["Vary", "Cache-Control", "Set-Cookie", "Content-Length", "Age", "ETag"])
  func `that the response depends on is passed on though Connection names it`(name: String) throws {
    let message = try fields(["Connection": name, name: "x"])

    #expect(names(HTTPFieldRules.endToEnd(message)) == [name])
  }

  @Test func `whose name a CGI program would confuse is not sent to the origin`() throws {
    let message = try fields([
      "Proxy": "http://evil.example", "X_Real_IP": "1.2.3.4", "X-Real-IP": "5.6.7.8",
      "Proxy-Note": "kept",
    ])

    #expect(names(HTTPFieldRules.safeForOrigin(message)) == ["X-Real-IP", "Proxy-Note"])
  }

  @Test func `is either a cookie or not`() throws {
    let message = try fields(["Set-Cookie": "a=1", "ETag": "\"1\"", "set-cookie": "b=2"])

    #expect(HTTPFieldRules.cookies(of: message).map(\.value) == ["a=1", "b=2"])
    #expect(names(HTTPFieldRules.withoutCookies(message)) == ["ETag"])
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

    #expect(names(HTTPFieldRules.reusable(message, isShared: true)).dropFirst() == shared[...])
    #expect(names(HTTPFieldRules.reusable(message, isShared: false)).dropFirst() == own[...])
  }
}
