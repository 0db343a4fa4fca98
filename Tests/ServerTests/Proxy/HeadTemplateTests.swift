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
    _ template: HeadTemplate?, age: Int, lifetime: Int
  ) throws -> String {
    String(
      buffer: try #require(template).head(
        age: age, lifetime: lifetime, date: "now", connection: nil, ByteBufferAllocator()))
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
