import Testing

@testable import ImageModel

@Suite struct `A URL for the wire` {
  @Test(arguments: [
    ("http://example.org", "http://example.org/"),
    ("HTTP://Example.ORG:80/a", "http://example.org/a"),
    ("https://example.org:443?x=1#part", "https://example.org/?x=1"),
    ("https://example.org:8443/a", "https://example.org:8443/a"),
    ("http://example.org:/a", "http://example.org/a"),
    ("http://p1.zhimg.com/a b/日.jpg", "http://p1.zhimg.com/a%20b/%E6%97%A5.jpg"),
    ("http://x/320*480?a=[1]&b=%7e%zz", "http://x/320*480?a=%5B1%5D&b=%7e%25zz"),
    ("http://x/a\\b|c\"<>`{}^", "http://x/a%5Cb%7Cc%22%3C%3E%60%7B%7D%5E"),
    ("http://x/a/./b/../c", "http://x/a/c"), ("http://x/../../a/..", "http://x/"),
    ("http://x/.hidden/a..b", "http://x/.hidden/a..b"),
    ("http://[2001:DB8::1]:81/", "http://[2001:db8::1]:81/"),
    ("http://user:p%40ss@x/a", "http://x/a"), ("http://例え.jp/", "http://xn--r8jz45g.jp/"),
    ("http://under_score.example/", "http://under_score.example/"),
  ])
  func `is assembled from its parts`(text: String, wire: String) {
    #expect(WebURL(text)?.text == wire)
  }

  @Test(arguments: [
    "", "example.org", "//example.org/", "ftp://example.org/", "http:/x", "http:///a",
    "http://:80/",
    "http://a b/", "http://a\tb/", "http://x/\u{7f}", "http://x/a\nb", "http://a@b@c/",
    "http://x:0/",
    "http://x:65536/", "http://x:8a/", "http://[::1/", "http://[::1]x/", "http://[zz]/",
    "http://a%00b/",
    "http://evil\\@good/", "http://good\\.evil/", "javascript:alert(1)", "httpx://x/",
  ])
  func `is refused where URL parsers disagree`(text: String) {
    #expect(WebURL(text) == nil)
  }

  @Test func `separates and decodes credentials`() {
    #expect(WebURL("http://user:p%40ss@x/")?.credentials == "user:p@ss")
    #expect(WebURL("http://x/")?.credentials == nil)
  }

  @Test(arguments: [
    ("/c", "http://x:81/c"), ("c", "http://x:81/a/c"), ("../c?q", "http://x:81/c?q"),
    ("?q=2", "http://x:81/a/b?q=2"), ("#part", "http://x:81/a/b?q=1"), ("", "http://x:81/a/b?q=1"),
    ("//y/c", "http://y/c"), ("https://z/", "https://z/"), ("  /c ", "http://x:81/c"),
    ("./a:b", "http://x:81/a/a:b"),
  ])
  func `resolves the references of a response`(reference: String, wire: String) throws {
    #expect(try #require(WebURL("http://x:81/a/b?q=1")).resolving(reference)?.text == wire)
  }

  @Test(arguments: ["file:///etc/passwd", "data:text/plain,x", "mailto:a@b", "http://"])
  func `does not resolve a reference that is not http(s)`(reference: String) throws {
    #expect(try #require(WebURL("http://x/")).resolving(reference) == nil)
  }

  @Test func `is upgraded to https where its port is the default`() {
    #expect(WebURL("http://x/a")?.upgraded.text == "https://x/a")
    #expect(WebURL("http://x:8080/a")?.upgraded.text == "http://x:8080/a")
    #expect(WebURL("https://x/a")?.upgraded.text == "https://x/a")
  }
}
