import Foundation

@testable import ImageModel
@testable import TestSupport

/// An origin on loopback that answers with exactly the bytes of the test, and records the bytes of
/// the requests.
///
/// A connection carries one request, without a body, and ends when the script returns.
final class HostileOrigin: Sendable {
  /// A connection to a client.
  struct Client: Sendable {
    fileprivate let socket: Int32
    fileprivate let sent: Locked<Int>

    /// Sends all of it; `false` once the client has closed.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
      var rest = bytes[...]
      while !rest.isEmpty {
        let count = rest.withUnsafeBytes {
          Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
        }
        guard count > 0 else { return false }
        sent.withLock { $0 += count }
        rest = rest.dropFirst(count)
      }
      return true
    }

    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Waits until the client closes its side.
    func waitForClose() {
      var byte: UInt8 = 0
      while recv(socket, &byte, 1, 0) > 0 {}
    }
  }

  let port: UInt16
  private let core: Core

  /// Starts one.
  ///
  /// - Parameter script: Answers a request, whose head has a letter of ISO 8859-1 for each byte.
  init(_ script: @escaping @Sendable (_ head: String, Client) -> Void) throws {
    let core = Core()
    self.core = core
    port = try LoopbackSocket.bind(core.listener)
    guard listen(core.listener, 64) == 0 else {
      throw ImageError(.cannotListen, "no port for a hostile origin")
    }
    Thread.detachNewThread { core.accept(script) }
  }

  deinit { core.stop() }

  /// Starts one that always answers with the same bytes.
  convenience init(_ answer: [UInt8]) throws { try self.init { _, client in client.send(answer) } }

  /// Starts one that always answers with the same text.
  convenience init(_ answer: String) throws { try self.init(Array(answer.utf8)) }

  func url(_ path: String = "/") -> String { "http://127.0.0.1:\(port)\(path)" }

  /// The heads of all requests so far, with one ISO 8859-1 letter for each byte.
  var requests: [String] { core.heads.withLock { $0 } }

  /// Bytes that the clients' systems have accepted.
  var sentByteCount: Int { core.sent.withLock { $0 } }
}

/// What the origin's threads share.
private struct Core: Sendable {
  let listener = LoopbackSocket.make()
  let heads = Locked<[String]>([])
  let sent = Locked(0)
  let state = Locked((isStopping: false, isClosed: false))

  func stop() {
    state.withLock { state in
      state.isStopping = true
      // Its descriptor may be reused once it is closed.
      if !state.isClosed { shutdown(listener, Int32(SHUT_RDWR)) }
    }
  }

  func accept(_ script: @escaping @Sendable (String, HostileOrigin.Client) -> Void) {
    while true {
      let socket = Foundation.accept(listener, nil, nil)
      if state.withLock({ $0.isStopping }) {
        if socket >= 0 { close(socket) }
        break
      }
      guard socket >= 0 else { continue }
      Thread.detachNewThread {
        let client = HostileOrigin.Client(socket: socket, sent: sent)
        if let head = Self.readHead(socket) {
          heads.withLock { $0.append(head) }
          script(head, client)
        }
        shutdown(socket, Int32(SHUT_WR))
        client.waitForClose()
        close(socket)
      }
    }
    state.withLock { state in
      state.isClosed = true
      close(listener)
    }
  }

  private static func readHead(_ socket: Int32) -> String? {
    var head: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while !head.suffix(4).elementsEqual([13, 10, 13, 10]) {
      let count = recv(socket, &chunk, chunk.count, 0)
      guard count > 0 else { return nil }
      head += chunk[..<count]
    }
    return String(String.UnicodeScalarView(head.map { UnicodeScalar($0) }))
  }
}

extension HostileOrigin {
  /// Fetches from this origin, and requests it through a proxy: a malformed response is an error of
  /// the fetcher, and a status of the proxy.
  func refusals() async throws -> (error: ImageError?, status: Int) {
    (try await FetcherFixture().failure(of: url()), try await proxied()[0].status)
  }

  /// Requests it through a new proxy, several times.
  func proxied(times count: Int = 1) async throws -> [RawAnswer] {
    let proxy = try await ProxyFixture(origin: url(""))
    return try await OffPool.run { try (0..<count).map { _ in try proxy.get("/") } }
  }
}
