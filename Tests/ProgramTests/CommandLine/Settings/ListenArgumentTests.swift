import HTTPListening
import Testing

@testable import imgcache

@Suite struct `An address to listen on` {
  @Test(arguments: [
    ("127.0.0.1:8780", ListenTarget.tcp(host: "127.0.0.1", port: 8780)),
    ("localhost:0", .tcp(host: "localhost", port: 0)),
    (":65535", .tcp(host: "0.0.0.0", port: 65_535)),
    ("[::1]:80", .tcp(host: "::1", port: 80)),
    ("unix:/run/a b.sock", .unix(path: "/run/a b.sock")),
    ("unix:relative:1", .unix(path: "relative:1")),
  ])
  func `is a host and a port, or a socket's path`(text: String, target: ListenTarget) {
    #expect(ListenArgument(argument: text)?.target == target)
  }

  @Test(arguments: [
    "", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:http", "[::1:80",
    "unix:",
  ])
  func `is refused without a port in range or a path`(text: String) {
    #expect(ListenArgument(argument: text) == nil)
  }

  @Test func `of a socket has as many bytes as the system takes`() {
    #expect(ListenArgument(argument: "unix:" + String(repeating: "a", count: 107)) != nil)
    #expect(ListenArgument(argument: "unix:" + String(repeating: "a", count: 108)) == nil)
    // Bytes count, not characters.
    #expect(ListenArgument(argument: "unix:" + String(repeating: "知", count: 36)) == nil)
  }

  @Test func `is told as a URL or a path, and in JSON by its parts`() {
    let (tcp, unix) = (ListenTarget.tcp(host: "::1", port: 80), ListenTarget.unix(path: "/s"))

    #expect([tcp, unix, .descriptor(3)].map(\.url) == ["http://[::1]:80", "unix:/s", "fd:3"])
    #expect(
      tcp.json().description
        == #"{"address":"[::1]:80","host":"::1","port":80}"#)
    #expect(
      unix.json(origin: "http://a").description
        == #"{"address":"unix:/s","origin":"http://a"}"#)
  }
}

@Suite struct `The connections that open files allow` {
  @Test func `leave times and permissions as they are named`() throws {
    let options = try ConnectionOptions.parse([
      "--socket-mode", "600", "--head-time", "2s", "--idle-time", "3s", "--write-time", "4s",
      "--drain-time", "5s", "--server-name", "example.org",
    ])
    let files = OpenFileLimit(count: .max)

    let listener = try options.listener(
      on: [.unix(path: "/s")], try OperationOptions.parse([]), files)

    #expect(listener.socketMode == 0o600)
    #expect(listener.drainTime == .seconds(5))
    #expect(listener.limits.headTime == .seconds(2))
    #expect(listener.limits.idleTime == .seconds(3))
    #expect(listener.limits.writeTime == .seconds(4))
    #expect(listener.limits.maximumConnections == 4096)
  }
}
