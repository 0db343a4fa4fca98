import NIOHTTP1
import Testing

@testable import HTTPListening

@Suite struct `A target that is an absolute URL` {
  private func head(
    _ target: String, hosts: [String] = ["field.example"], isOld: Bool = false
  ) -> HTTPRequestHead {
    HTTPRequestHead(
      version: isOld ? .http1_0 : .http1_1, method: .GET, uri: target,
      headers: HTTPHeaders(hosts.map { ("Host", $0) }))
  }

  @Test(arguments: [
    ("http://a.example/b?c", "/b?c", "a.example"),
    ("https://a.example:8443/", "/", "a.example:8443"),
    ("http://a.example", "/", "a.example"), ("HTTP://A.example?c=/d", "/?c=/d", "A.example"),
    ("http://[::1]:80/x", "/x", "[::1]:80"), ("http://a.example//b", "//b", "a.example"),
  ])
  func `is split into a path and a host, which replaces that of the field`(
    target: String, path: String, host: String
  ) {
    let head = head(target).inOriginForm

    #expect(head.uri == path)
    #expect(head.headers["Host"] == [host])
  }

  @Test(arguments: [
    "/a", "//a.example/b", "*", "http:///b", "http://", "http://?x", "ftp://a/b", "a:80",
  ])
  func `needs http or https and a host, or the request stays unchanged`(target: String) {
    let head = head(target)

    #expect(head.inOriginForm == head)
  }

  @Test func `supplies the host that only HTTP 1.0 may leave out`() {
    let old = head("http://a.example/b", hosts: [], isOld: true).inOriginForm
    let new = head("http://a.example/b", hosts: []).inOriginForm

    #expect(old.headers["Host"] == ["a.example"])
    #expect(new.headers["Host"].isEmpty)
  }
}
