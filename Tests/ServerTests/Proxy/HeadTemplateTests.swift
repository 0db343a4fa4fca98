import HTTPCaching
import HTTPTypes
import NIOCore
import Testing

@testable import HTTPListening

/// Heads that are sent again with another age and another lifetime.
@Suite struct `The template of a head` {
  private static let cacheStatus = "Cache-Status"

  private func status(_ lifetime: Int?) -> CacheStatus {
    var status = CacheStatus(.hit)
    status.lifetime = lifetime
    return status
  }

  private func fields(_ lines: KeyValuePairs<String, String>) throws -> HTTPFields {
    var fields = HTTPFields()
    for (name, value) in lines {
      fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    return fields
  }

  private func text(
    _ template: HeadTemplate?, age: Int, lifetime: Int, connection: String? = nil
  ) throws -> String {
    String(
      buffer: try #require(template).head(
        age: age, lifetime: lifetime, date: "now", connection: connection, ByteBufferAllocator()))
  }

  @Test(arguments: [(0, 100), (7, 93), (100, 0), (12_345, -12_245)])
  func `has the age and the lifetime of the moment, wherever they are`(
    age: Int, lifetime: Int
  ) throws {
    let hit = "imgcache; hit; ttl="
    let first = HeadTemplate(
      200, try fields(["Age": "3", "X": "1", Self.cacheStatus: hit + "97", "Y": ""]),
      endsIn: status(97))
    let second = HeadTemplate(
      200, try fields([Self.cacheStatus: hit + "97", "Age": "3"]), endsIn: status(97))

    #expect(
      try text(first, age: age, lifetime: lifetime) == "HTTP/1.1 200 OK\r\nAge: \(age)\r\nX: 1\r\n"
        + "Cache-Status: \(hit)\(lifetime)\r\nY: \r\n\r\n")
    #expect(
      try text(second, age: age, lifetime: lifetime)
        == "HTTP/1.1 200 OK\r\nCache-Status: \(hit)\(lifetime)\r\nAge: \(age)\r\n\r\n")
  }

  @Test func `keeps the members of caches nearer to the origin`() throws {
    let template = HeadTemplate(
      404, try fields(["Age": "0", Self.cacheStatus: "up; ttl=9, imgcache; hit; ttl=9"]),
      endsIn: status(9))

    #expect(
      try text(template, age: 1, lifetime: 8) == "HTTP/1.1 404 Not Found\r\nAge: 1\r\n"
        + "Cache-Status: up; ttl=9, imgcache; hit; ttl=8\r\n\r\n")
  }

  @Test(arguments: ["close", "keep-alive"])
  func `ends in the connection's field if there is one`(connection: String) throws {
    let template = HeadTemplate(
      200, try fields(["Age": "0", Self.cacheStatus: "imgcache; hit; ttl=9"]), endsIn: status(9))

    let text = try text(template, age: 0, lifetime: 9, connection: connection)

    #expect(text.hasSuffix("ttl=9\r\nConnection: \(connection)\r\n\r\n"))
  }

  @Test func `keeps bytes that are not UTF-8`() throws {
    var fields = try fields(["Age": "0", Self.cacheStatus: "imgcache; hit; ttl=9"])
    fields.append(HTTPField(name: .server, value: [0xE9, 0xFF] as [UInt8]))
    let template = try #require(HeadTemplate(200, fields, endsIn: status(9)))

    let head = template.head(
      age: 0, lifetime: 9, date: "now", connection: nil, ByteBufferAllocator())

    #expect(Array(head.readableBytesView).suffix(6) == [0xE9, 0xFF, 13, 10, 13, 10])
  }

  @Test(
    arguments: [
      [:], ["Age": "1"], ["Cache-Status": "imgcache; hit; ttl=9"],
      ["Age": "1", "age": "2", "Cache-Status": "imgcache; hit; ttl=9"],
      ["Age": "1", "Cache-Status": "imgcache; hit; ttl=9", "cache-status": "imgcache; hit; ttl=9"],
    ] as [KeyValuePairs<String, String>])
  func `needs one value of each`(lines: KeyValuePairs<String, String>) throws {
    #expect(HeadTemplate(200, try fields(lines), endsIn: status(9)) == nil)
  }

  @Test func `needs a status that ends in a lifetime`() throws {
    let fields = try fields(["Age": "1", Self.cacheStatus: "imgcache; hit"])
    var detailed = status(9)
    detailed.detail = "memory"

    #expect(HeadTemplate(200, fields, endsIn: status(nil)) == nil)
    #expect(HeadTemplate(200, fields, endsIn: detailed) == nil)
  }
}
