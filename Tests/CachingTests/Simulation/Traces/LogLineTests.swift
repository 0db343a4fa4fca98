import Testing

@testable import CacheSimulation

@Suite struct `A line of an access log` {
  private func read(_ text: String) -> LogLine? {
    Array(text.utf8).withUnsafeBytes { LogLine($0) }
  }

  private static let date = "[27/Nov/2026:08:46:50 +0000]"
  /// 2026-11-27T08:46:50Z.
  private static let time = 1_795_769_210

  @Test(arguments: [
    "192.0.2.1 - - DATE \"GET /a.jpg HTTP/1.1\" 200 512 \"-\" \"curl/8\"",
    "192.0.2.1 - - DATE \"GET /a.jpg HTTP/1.1\" 200 512",
    "192.0.2.1 - - DATE \"GET /a.jpg HTTP/1.1\" 200 512\r",
    "2001:db8::1 - - DATE \"GET /a.jpg HTTP/2.0\" 200 512 \"-\" \"-\"",
    "[2001:db8::1]:443 - - DATE \"GET /a.jpg HTTP/2.0\" 200 512 \"-\" \"-\"",
    "host.example.org - Jane [x] Doe DATE \"GET /a.jpg HTTP/1.1\" 200 512 \"-\" \"-\"",
    "192.0.2.1 identd jane DATE \"GET /a.jpg HTTP/1.1\" 200 512",
    "192.0.2.1 - - DATE \"GET /a.jpg\" 200 512",
    "192.0.2.1 - - DATE \"GET /a.jpg HTTP/1.1\" 200 512 \"https://x/?q=\\\"a\\\"\" \"a \\\"b\\\" 404 7\"",
    // ingress-nginx and others add fields; some have them before the date, or behind it.
    "192.0.2.1 - - DATE \"GET /a.jpg HTTP/1.1\" 200 512 \"-\" \"-\" 437 0.002 [up] [] 10.0.0.1:80",
    "103.3.43.3 - [103.3.43.3] - - DATE \"GET /a.jpg HTTP/2.0\" 200 512 \"-\"",
    "192.0.2.1 - - DATE [0.003] [PORT 80] \"GET /a.jpg HTTP/1.1\" 200 512 \"-\"",
    "336 192.0.2.1 - - DATE \"GET /a.jpg HTTP/1.1\" 200 512 \"-\" \"-\" \"10.1.2.3\"",
    "2001:db8::1, 10.0.0.1 - - DATE \"GET /a.jpg HTTP/1.1\" 200 512 \"-\" \"-\"",
    "web_1  | 192.0.2.1 - - DATE \"GET /a.jpg HTTP/1.1\" 200 512 \"-\" \"-\"",
    "\0\0\0\0192.0.2.1 - - DATE \"GET /a.jpg HTTP/1.1\" 200 512 \"-\" \"-\"",
    "192.0.2.1 - - [2026-11-27T09:46:50+01:00] \"GET /a.jpg HTTP/1.1\" 200 512 \"-\" \"-\"",
    "192.0.2.1 - - [27/Nov/2026:03:16:50 -0530] \"GET /a.jpg HTTP/1.1\" 200 512 \"-\" \"-\"",
    // The program's own.
    "[Fri, 27 Nov 2026 08:46:50 GMT] \"GET /a.jpg\" 200 512 0.000021 memory 4bf9 192.0.2.1 -",
    "{\"time\":\"2026-11-27T08:46:50Z\",\"method\":\"GET\",\"target\":\"/a.jpg\",\"status\":200,\"bytes\":512}",
  ])
  func `is read whatever surrounds the request`(text: String) throws {
    let line = try #require(read(text.replacing("DATE", with: Self.date)))

    #expect(line.isGet && line.status == 200 && line.byteCount == 512)
    #expect(String(decoding: line.key, as: UTF8.self) == "/a.jpg")
    #expect(line.time == Self.time)
  }

  @Test(arguments: [
    (
      "example.org:443 192.0.2.1 - - DATE \"GET /a HTTP/1.1\" 200 5 \"-\" \"-\"",
      "example.org:443/a"
    ),
    ("example.org 192.0.2.1 - jane DATE \"GET /a HTTP/1.1\" 200 5", "example.org/a"),
    ("192.0.2.1 - - DATE \"GET http://h/a HTTP/1.1\" 200 5", "http://h/a"),
    ("192.0.2.1 - - DATE \"GET /a b?c HTTP/1.1\" 200 5", "/a b?c"),
    ("192.0.2.1 - - DATE \"GET /\\\"a\\\\\" HTTP/1.1\" 200 5", "/\\\"a\\\\\""),
    ("192.0.2.1 - - DATE \"GET /a\" 200 x\" HTTP/1.1\" 200 5 \"-\"", "/a\" 200 x\""),
    ("192.0.2.1 - - DATE \"GET /\\xE5\\x9B\\xBE.png HTTP/1.1\" 200 5", "/\\xE5\\x9B\\xBE.png"),
    (
      "{\"level\":\"info\",\"ts\":1795769210.25,\"logger\":\"http.log.access\",\"request\":{\"remote_ip\":\"::1\","
        + "\"method\":\"GET\",\"host\":\"example.org\",\"uri\":\"/a\\\"b?c=1\",\"headers\":{\"X\":[\"y\"]}},"
        + "\"size\":5,\"status\":200,\"resp_headers\":{}}", "example.org/a\"b?c=1"
    ),
    (
      "2026/11/27 08:46:50.1\tinfo\thttp.log.access\thandled request\t{\"request\":{\"method\":\"GET\","
        + "\"host\":\"h\",\"uri\":\"/\"},\"size\":5,\"status\":200}", "h/"
    ),
  ])
  func `has the target, behind the host, as its key`(text: String, key: String) throws {
    let line = read(text.replacing("DATE", with: Self.date))

    #expect(line?.isGet == true)
    #expect(line.map { String(decoding: $0.key, as: UTF8.self) } == key)
  }

  @Test(arguments: [
    ("\"HEAD / HTTP/1.1\" 200 0", 200, 0), ("\"POST /a HTTP/1.1\" 201 17", 201, 17),
    ("\"\\x16\\x03\\x01\\x00\\xEE\" 400 157", 400, 157), ("\"-\" 408 -", 408, 0),
    ("\"\" 400 0", 400, 0),
    ("\"\\n\" 400 150", 400, 150), ("\"get / HTTP/1.1\" 400 150", 400, 150),
  ])
  func `says that a request is not a GET`(rest: String, status: Int, count: Int) {
    let line = read("192.0.2.1 - - \(Self.date) \(rest) \"-\" \"-\"")

    #expect(line?.isGet == false)
    #expect(line?.status == status && line?.byteCount == count)
  }

  @Test(arguments: [
    "", "-", "{", "{}", "[]", "{\"a\":1}", "0,a,10", "1 7 100", "a line of words",
    "\"GET / HTTP/1.1\" 200 5",
    "192.0.2.1 - - DATE", "192.0.2.1 - - DATE \"GET / HTTP/1.1",
    "192.0.2.1 - - DATE \"GET / HTTP/1.1\" 20",
    "192.0.2.1 - - DATE \"GET / HTTP/1.1\" 200", "192.0.2.1 - - DATE \"GET / HTTP/1.1\" 200 five",
    "192.0.2.1 - - [today] \"GET / HTTP/1.1\" 200 5",
    "192.0.2.1 - - [99/Nov/2026:08:46:50 +0000] \"GET / HTTP/1.1\" 200 5",
    "192.0.2.1 - - [27/Nov/99999999999999999999:08:46:50 +0000] \"GET / HTTP/1.1\" 200 5",
    "{\"method\":\"GET\",\"target\":\"/\",\"status\":\"200\"}",
    "{\"request\":{\"method\":\"GET\"},\"status\":200}",
    // Squid's own format, HAProxy's, Apache's error log.
    "1795769210.123     45 192.0.2.1 TCP_MISS/200 1234 GET http://h/a - HIER_DIRECT/192.0.2.9 image/png",
    "haproxy[1]: 192.0.2.1:1 [27/Nov/2026:08:46:50.123] web s/a 0/0/0/1/1 200 512 - - ---- 1/1/0/0/0 \"GET / HTTP/1.1\"",
    "[Fri Nov 27 08:46:50 2026] [error] [client 192.0.2.1] File does not exist: /a",
  ])
  func `is nothing else`(text: String) {
    #expect(read(text.replacing("DATE", with: Self.date)) == nil)
  }
}
