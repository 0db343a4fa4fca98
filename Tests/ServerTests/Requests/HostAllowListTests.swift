import Testing

@testable import HTTPListening
@testable import ImageModel
@testable import ThumbnailServer

@Suite struct `Allowed hosts` {
  static let list =
    (try? HostAllowList(["example.org", "*.cdn.example", "192.0.2.7", "[2001:db8::1]"]))
    ?? HostAllowList()

  @Test(arguments: [
    "http://example.org/a", "https://EXAMPLE.org:8443/a", "http://example.org./a",
    "http://a.cdn.example/", "http://a.b.cdn.example/", "http://192.0.2.7/x",
    "http://[2001:db8::1]/x",
  ])
  func `match by name, whatever the port, the case and a trailing dot`(url: String) {
    #expect(Self.list.allows(url))
  }

  @Test(arguments: [
    "http://cdn.example/", "http://xcdn.example/", "http://evilexample.org/",
    "http://example.org.evil.net/", "http://sub.example.org/", "http://example.org@evil.net/",
    "http://evil.net/#example.org", "http://evil.net?example.org", "http://evil.net\\@example.org/",
    "http://example.orgevil.net/", "http://example.org%2eevil.net/",
    "http://example.org%00.evil.net/", "http://evil.net\\.example.org/", "ftp://example.org/",
    "file:///etc/passwd", "//example.org/", "http:example.org", "http:///example.org",
    "javascript:alert(1)", "http://192.0.2.8/", "http://192.0.2.7.nip.io/", "http://3221225991/",
    "http://0xC0000207/", "http://[::ffff:192.0.2.7]/", "http://a.cdn.example.evil.net/",
    "http://.cdn.example/", "http://*.cdn.example/", "http://a.cdn.example@evil.net/",
    "http://a.cdn.example:80@evil.net/", "http://evil.net:80#.cdn.example",
    "http://evil.net/..//a.cdn.example/", "http://a.cdn.exаmple/", "http://example。orgevil.net/",
    "http://ex\tample.org/", "http://example.org\r\n.evil.net/", " http://evil.net/",
    "http://user:pw@evil.net/",
    "http://example.org:99999/", "http://example.org:80:80/", "http://[example.org]/", "",
  ])
  func `are not bypassed by forty spellings of a host`(url: String) {
    #expect(!Self.list.allows(url))
  }

  @Test(arguments: [
    "", "http://example.org", "example.org/a", "a b", "*", "*.*.org", "exa*mple.org",
    "example.org:80", ".example.org", "*..example.org", "a..b", ".", "*.", "example.org..",
    "a／b.example", "*.a：80", "*.[2001:db8::1]",
  ])
  func `malformed hosts are refused in the options, except the star alone`(
    host: String
  ) throws {
    if host == "*" {
      #expect(try HostAllowList([host]).allows("http://anything.example/"))
    } else {
      #expect(throws: ImageError.self) { try HostAllowList([host]) }
    }
  }

  @Test(arguments: ["xn--bcher-kva.example", "bücher.example", "BÜCHER。example", "*.example"])
  func `an internationalized name is the same as its ASCII form`(name: String) throws {
    let list = try HostAllowList([name])

    #expect(list.allows("http://xn--bcher-kva.example/"))
    #expect(list.allows("http://bücher.example/"))
  }
}
