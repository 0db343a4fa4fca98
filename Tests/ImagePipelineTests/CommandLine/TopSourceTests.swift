import ImageModel
import Testing

@testable import imgcache

@Suite struct `The server that top reads` {
  @Test(arguments: [
    ("http://127.0.0.1:8780", "http://127.0.0.1:8780"),
    ("http://127.0.0.1:8780/", "http://127.0.0.1:8780"),
    ("http://127.0.0.1:8780/status", "http://127.0.0.1:8780"),
    ("http://127.0.0.1:8780/status.json", "http://127.0.0.1:8780"),
    ("https://h.example/images/status?x=1", "https://h.example/images"),
    ("https://h.example/images/", "https://h.example/images"),
    ("unix:/run/imgcache.sock", "unix:/run/imgcache.sock"),
  ])
  func `is named by its address or that of its page`(text: String, address: String) throws {
    #expect(try TopSource(text, key: nil).address == address)
  }

  @Test(arguments: ["", "127.0.0.1:8780", "ftp://a", "http://", "/run/imgcache.sock"])
  func `is refused if it is not an address, with what to write`(text: String) {
    let error = #expect(throws: ImageError.self) { try TopSource(text, key: nil) }

    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("write http://HOST:PORT or unix:PATH") == true)
  }

  @Test(arguments: [0, 108, 500])
  func `has a socket's path as long as the system takes`(count: Int) {
    let text = "unix:" + String(repeating: "a", count: count)

    let error = #expect(throws: ImageError.self) { try TopSource(text, key: nil) }

    #expect(error?.message.contains("has 1 through 107 bytes") == true)
  }

  @Test func `takes a path of 107 bytes`() throws {
    _ = try TopSource("unix:" + String(repeating: "a", count: 107), key: nil)
  }

  @Test func `gets no key that would split the request`() {
    let error = #expect(throws: ImageError.self) {
      try TopSource("http://127.0.0.1:1", key: Array("a\r\nX: secret".utf8))
    }

    #expect(error?.message.contains("secret") == false)
  }

  @Test func `that does not exist is told with its address`() async throws {
    let scratch = TemporaryDirectory()
    let source = try TopSource("unix:\(scratch.path("absent.sock"))", key: nil)

    let error = await #expect(throws: ImageError.self) { _ = try await source.status() }

    #expect(error?.message == "\(source.address): no server accepts connections there")
  }
}
