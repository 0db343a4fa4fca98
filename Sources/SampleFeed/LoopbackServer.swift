package import ImageModel
import LoadScheduling

#if canImport(Darwin)
  package import Darwin
#else
  import Glibc
#endif

/// A small HTTP/1.1 server on 127.0.0.1 and a port that the system chooses, with keep-alive.
///
/// It has a thread for accepting and one for each connection, so that it serves clients in the same
/// process however busy Swift's task threads are. It is the origin of the sample days and of the
/// tests, not a server for a network.
package final class LoopbackServer: Sendable {
  /// Returns the response to a request; runs on the connection's thread and may block.
  package typealias Handler = @Sendable (LoopbackRequest) -> LoopbackResponse
  /// Writes the response to a request; returns whether the connection stays open.
  package typealias RawHandler = @Sendable (LoopbackRequest, LoopbackConnection) -> Bool

  private struct State {
    var isStopping = false
    var nextID = 0
    var connections: [Int: LoopbackConnection] = [:]
    var threads: [Int: OSThread] = [:]
    var finished: [OSThread] = []
    var accepting: OSThread?
  }

  private let state = Locked(State())
  private let listener: Int32
  private let handler: RawHandler
  package let port: UInt16

  package var connectionCount: Int { state.withLock { $0.nextID } }

  package convenience init(handler: @escaping Handler) throws(ImageError) {
    try self.init { request, connection in
      let response = handler(request)
      let keepsAlive = !request.wantsClose
      let wire = response.wire(isHead: request.method == "HEAD", keepsAlive: keepsAlive)
      return connection.send(wire) && keepsAlive
    }
  }

  /// Starts a server whose handler writes bytes itself: for faults, slow bodies and interim
  /// responses.
  package init(rawHandler: @escaping RawHandler) throws(ImageError) {
    (listener, port) = try Self.listen()
    handler = rawHandler
    let accepting = try OSThread(name: "loopback") { [self] in acceptAll() }
    state.withLock { $0.accepting = accepting }
  }

  /// Ends every connection, waits for the handlers to return, and closes the port. A running server
  /// keeps itself alive until this call.
  package func stop() {
    let accepting = state.withLock { state in
      state.isStopping = true
      defer { state.accepting = nil }
      return state.accepting
    }
    guard let accepting else { return }
    Self.knock(at: port)
    accepting.join()
    close(listener)
    state.withLock { for connection in $0.connections.values { connection.interrupt() } }
    let threads = state.withLock { Array($0.threads.values) + $0.finished }
    for thread in threads { thread.join() }
    state.withLock { $0.finished = [] }
  }

  private func acceptAll() {
    while true {
      let socket = accept(listener, nil, nil)
      if state.withLock({ $0.isStopping }) {
        if socket >= 0 { close(socket) }
        return
      }
      guard socket >= 0 else { continue }
      // Child processes must not inherit it.
      _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
      begin(LoopbackConnection(socket: socket))
    }
  }

  private func begin(_ connection: LoopbackConnection) {
    let (id, finished) = state.withLock { state in
      let id = state.nextID
      state.nextID += 1
      state.connections[id] = connection
      defer { state.finished = [] }
      return (id, state.finished)
    }
    for thread in finished { thread.join() }
    // The lock is held while the thread starts, so that it finds itself in the table at its end.
    state.withLock { state in
      do {
        state.threads[id] = try OSThread(name: "loopback-\(id)") { [self] in
          serve(connection)
          end(id)
        }
      } catch {
        state.connections[id] = nil
        connection.close()
      }
    }
  }

  private func serve(_ connection: LoopbackConnection) {
    while let request = connection.nextRequest() {
      guard handler(request, connection) else { break }
    }
    connection.close()
  }

  private func end(_ id: Int) {
    state.withLock { state in
      state.connections[id] = nil
      if let thread = state.threads.removeValue(forKey: id) { state.finished.append(thread) }
    }
  }

  private static var loopback: sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    return address
  }

  private static var streamType: Int32 {
    #if canImport(Darwin)
      SOCK_STREAM
    #else
      Int32(SOCK_STREAM.rawValue)
    #endif
  }

  private static func listen() throws(ImageError) -> (socket: Int32, port: UInt16) {
    let socket = socket(AF_INET, streamType, 0)
    var address = loopback
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && systemListen(socket) == 0
          && getsockname(socket, $0, &size) == 0
      }
    }
    guard isBound else {
      let error = ImageError(.connectionFailed, "cannot listen on 127.0.0.1", errno: errno)
      if socket >= 0 { close(socket) }
      throw error
    }
    return (socket, UInt16(bigEndian: address.sin_port))
  }

  private static func knock(at port: UInt16) {
    let socket = socket(AF_INET, streamType, 0)
    var address = loopback
    address.sin_port = port.bigEndian
    withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    close(socket)
  }
}

// Outside the type, whose own `listen` would hide it.
private func systemListen(_ socket: Int32) -> Int32 { listen(socket, 256) }
