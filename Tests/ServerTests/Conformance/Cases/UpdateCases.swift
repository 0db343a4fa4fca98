extension ConformanceCase {
  /// A field with two values, and the effect of a 304.
  private struct Field {
    let name: String
    var first: String
    var second: String
    var isStored = true
    /// Whether a 304 must, must not, or may (as told) change it.
    var update: Kind = .choice(true)
    var isUpdated = true
    var isBodyOdd = false

    init(_ name: String, _ first: String = "one", _ second: String = "two") {
      self.name = name
      (self.first, self.second) = (first, second)
    }

    func required() -> Field { changed { $0.update = .required } }
    func notStored() -> Field { changed { $0.isStored = false } }
    func ours(_ ours: Bool) -> Field { changed { $0.update = .choice(ours) } }
    func changed(_ change: (inout Field) -> Void) -> Field {
      var field = self
      change(&field)
      return field
    }
  }

  private static let fields: [Field] = [
    Field("Test-Header").required(), Field("X-Test-Header").required(),
    Field("Content-Foo").required(), Field("X-Content-Foo").required(),
    Field("Cache-Control", "max-age=1", "max-age=3600").required(), Field("Connection").notStored(),
    // These describe the stored bytes, which a 304 does not carry (RFC 9111 §3.2).
    Field("Content-Encoding").ours(false),
    Field("Content-Length", "5", "10").changed {
      $0.update = .required
      $0.isUpdated = false
      $0.isBodyOdd = true
    }, Field("Content-Location", "/foo", "/bar"), Field("Content-MD5", "AAAA==", "BBBB=="),
    Field("Content-Range").ours(false),
    Field("Content-Security-Policy", "default-src 'self'", "default-src 'none'"),
    Field("Content-Type", "text/plain", "text/plain;charset=utf-8").ours(false),
    Field("Clear-Site-Data", "cache", "cookies"),
    // A 304 with another strong tag is for another response (RFC 9111 §4.3.4): the request is
    // repeated without conditions.
    Field("ETag", "\"abcdef\"", "\"ghijkl\"").ours(false),
    Field("Expires", "Fri, 01 Jan 2038 01:01:01 GMT", "Mon, 11 Jan 2038 11:11:11 GMT"),
    Field("Keep-Alive").notStored(), Field("Proxy-Authenticate").notStored(),
    Field("Proxy-Authentication-Info").notStored(), Field("Proxy-Authorization").notStored(),
    Field("Proxy-Connection").notStored(), Field("Public-Key-Pins"),
    Field("Set-Cookie", "a=b", "a=c"), Field("Set-Cookie2", "a=b", "a=c"), Field("TE").notStored(),
    Field("Transfer-Encoding").notStored(), Field("Upgrade").notStored(),
    Field("X-Frame-Options", "deny", "sameorigin"), Field("X-XSS-Protection", "1", "1; mode=block"),
  ]

  private static func storing(_ field: Field) -> ConformanceCase {
    let line = "\(field.name): \(field.second)"
    let fresh = field.name == "Cache-Control" ? [] : ["Cache-Control: max-age=3600"]
    return ConformanceCase(
      "headers-store-\(field.name)", .required, "§3.1",
      [
        .fill(["Date: @0", (field.isStored ? "" : "~") + line] + fresh).with {
          if field.isBodyOdd { $0.givesText = "" }
        },
        .look(
          .cached, has: field.isStored ? [line] : [], lacks: field.isStored ? [] : [line],
          prepares: [.arrival], givesText: field.isBodyOdd ? "" : nil),
      ])
  }

  private static func updating(_ field: Field) -> ConformanceCase {
    func answer(_ value: String, isConfirmed: Bool) -> [String] {
      var lines = ["Date: @0", (field.isUpdated ? "" : "~") + "\(field.name): \(value)"]
      if field.name != "Cache-Control" { lines.append("Cache-Control: max-age=2") }
      if isConfirmed, field.name != "ETag" { lines.append("ETag: \"tag-1\"") }
      return lines
    }
    let expected = field.isUpdated ? field.second : field.first
    let text = field.isBodyOdd ? "" : nil
    return ConformanceCase(
      "304-etag-update-response-\(field.name)", field.update, "§3.2",
      [
        .fill(answer(field.first, isConfirmed: true)).with { $0.givesText = text },
        .look(
          .tagConfirmed, answer: answer(field.second, isConfirmed: true),
          has: ["\(field.name): \(expected)"], prepares: [.arrival], givesText: text),
        .look(
          .cached, answer: answer(expected, isConfirmed: false),
          has: ["\(field.name): \(expected)"], prepares: [.arrival], givesText: text),
      ])
  }

  private static func headed(
    _ id: String, _ ours: Bool, _ head: [String], status: Int = 200, has: [String] = [],
    then last: ConformanceStep? = nil
  ) -> ConformanceCase {
    var asked = ConformanceStep(method: "HEAD", status: status, answer: head, has: has)
    asked.asksBy = "HEAD"
    return ConformanceCase(
      id, .choice(ours), "§4.3.5", [.shortlived(), asked] + (last.map { [$0] } ?? []))
  }

  static let updates: [ConformanceCase] =
    fields.map(storing) + fields.filter(\.isStored).map(updating) + [
      ConformanceCase(
        "304-lm-use-stored-Test-Header", .required, "§3.2",
        [
          .fill([
            "Cache-Control: max-age=2", "Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT", "Date: @0",
            "Test-Header: one",
          ]),
          .look(
            .dateConfirmed, answer: ["Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT", "Date: @0"],
            has: ["Test-Header: one"], prepares: [.arrival]),
        ]),
      ConformanceCase(
        "headers-omit-headers-listed-in-Connection", .required, "§3.1",
        [
          .fresh(["~Connection: a, b", "~A: 1", "~B: 2", "~C: 3"]),
          .look(.cached, has: ["C: 3"], lacks: ["A", "B"], prepares: [.arrival]),
        ]), headed("head-writethrough", true, []),
      headed("head-200-retain", false, [], has: ["Template-A: 1"]),
      headed(
        "head-200-freshness-update", true, ["Cache-Control: max-age=1000"], then: .look(.cached)),
      headed(
        "head-200-update", true, ["Template-A: 2", "Cache-Control: max-age=1000"],
        then: .look(.cached, has: ["Template-A: 2"], prepares: [.arrival])),
      headed(
        "head-410-update", false, ["Template-A: 2", "Cache-Control: max-age=1000"], status: 410,
        then: .look(.cached, has: ["Template-A: 2"], prepares: [.arrival])),
    ]
}
