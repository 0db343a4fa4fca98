import Testing

@testable import ImageFetching
@testable import ImageModel
@testable import TestSupport

@Suite struct `Credentials of origins` {
  private func value(_ credentials: OriginCredentials, _ urls: String...) -> String? {
    credentials.value(along: urls.compactMap { WebURL($0) })
  }

  @Test(arguments: [
    ("http://u:p@h/a", "http://h/a"), ("HTTPS://u@h:8443/?x=@", "HTTPS://h:8443/?x=@"),
    ("http://u:p@h", "http://h"), ("http://@h/", "http://h/"), ("http://u:p@x@h/", "http://h/"),
    ("http://u:p/w@h/a", "http://h/a"), ("http://u:p#w@h/a", "http://h/a"),
    ("http://h/@user", "http://h/@user"), ("http://h/a?b=c@d", "http://h/a?b=c@d"),
    ("http://h:bad@/", "http:///"), ("s3://u:p@b/k", "s3://b/k"), ("ftp://u:p@h/a", "ftp://h/a"),
    ("a@b", "a@b"), ("", ""),
    ("a b://u@h", "a b://u@h"), ("x/y://u@h", "x/y://u@h"),
    ("http://u:p@h:99999/", "http://h:99999/"),
    ("http://u:ü@bücher.example/é", "http://bücher.example/é"),
  ])
  func `a URL loses its user and password and keeps its spelling`(text: String, bare: String) {
    #expect(WebURL.withoutUserinfo(text) == bare)
    #expect(OriginCredentials().extract(from: text) == bare)
  }

  @Test func `they are sent to their origin alone, and not after a redirect elsewhere`() {
    let credentials = OriginCredentials()
    _ = credentials.extract(from: "http://user:s3c%3Aret%40@h/feed")

    #expect(value(credentials, "http://h/a") == "user:s3c:ret@")
    #expect(value(credentials, "http://h:80/a", "http://H/b") == "user:s3c:ret@")
    #expect(value(credentials, "http://o/", "http://h/a") == "user:s3c:ret@")
    for url in ["https://h/a", "http://h:81/a", "http://o/", "http://h.o/"] {
      #expect(value(credentials, "http://h/a", url) == nil)
    }
    #expect(value(credentials, "http://h/", "http://o/", "http://h/a") == nil)
    #expect(value(OriginCredentials(credentials), "http://h/a") == "user:s3c:ret@")
  }

  @Test(arguments: [
    (#"<img src="http://u:p@h/a.jpg">"#, #"<img src="http://h/a.jpg">"#),
    ("http://u:p@h/1\nhttps://v:q@h/2\n", "http://h/1\nhttps://h/2\n"),
    (#"{"url":"http:\/\/u:p@h\/a"}"#, #"{"url":"http:\/\/h\/a"}"#),
    ("<link>HTTP://u:p@h</link>", "<link>HTTP://h</link>"),
    ("http://u:p&amp;q@h/", "http://h/"), ("http://u:p&q@h/", "http://h/"),
    ("http://u:p@q@h/ x", "http://h/ x"),
    ("href=&quot;http://h&quot;&gt;me@h.org&lt;", "href=&quot;http://h&quot;&gt;me@h.org&lt;"),
    (#"<a href="http://h">me@h.org</a>"#, #"<a href="http://h">me@h.org</a>"#),
    ("http://h/@me and http://h?x=y@z", "http://h/@me and http://h?x=y@z"),
    ("mailto:a@b, a@b, @, http://", "mailto:a@b, a@b, @, http://"), ("", ""),
  ])
  func `a document loses those of its URLs`(text: String, bare: String) {
    let taken = OriginCredentials().extract(fromDocument: Array(text.utf8))

    #expect(String(decoding: taken, as: UTF8.self) == bare)
  }

  @Test func `those of a document are known`() {
    let credentials = OriginCredentials()
    _ = credentials.extract(
      fromDocument: Array(#"{"a":"http:\/\/u:p@h:81\/a"} https://v:a&amp;b@o/"#.utf8))

    #expect(value(credentials, "http://h:81/") == "u:p")
    #expect(value(credentials, "https://o/") == "v:a&b")
  }

  @Test(.isLong) func `a document of many marks takes linear time`() {
    let text =
      String(repeating: "http://a@", count: 100_000) + String(repeating: "@", count: 100_000)

    let bare = OriginCredentials().extract(fromDocument: Array(text.utf8))

    #expect(bare.count < text.utf8.count)
  }

  @Test(arguments: [
    ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
    ("知乎.example", "xn--djqu72h.example"), ("faß.de", "xn--fa-hia.de"),
    ("a。b．example", "a.b.example"), ("１２７．0.0.1", "127.0.0.1"), ("ｅxample.org", "example.org"),
    ("Example.ORG", "example.org"), ("a_b.example", "a_b.example"),
    ("xn--bcher-kva.example", "xn--bcher-kva.example"),
  ])
  func `a host is in ASCII, as browsers make it`(name: String, ascii: String) {
    #expect(WebURL("http://\(name):8080/ä")?.host == ascii)
    #expect(WebURL("http://\(name):8080/ä")?.text == "http://\(ascii):8080/%C3%A4")
  }

  @Test(arguments: ["a／b.example", "a？b.example", "\u{200B}", "a＠b", "a：80", "℀.example"])
  func `a host that would be another part of the URL is none`(name: String) {
    #expect(WebURL("http://\(name)/") == nil)
  }

  @Test func `a resolved reference has no password, whatever its base has`() {
    #expect(WebURL.resolve("http://u:p@h/a", against: "http://b/") == "http://h/a")
    #expect(WebURL.resolve("a", against: "http://u:p@b/c") == "http://b/a")
  }
}
