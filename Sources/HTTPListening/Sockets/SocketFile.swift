import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  public import Darwin
#endif

/// Sockets in the file system, and the protocol of the service manager.
public enum SocketFile {
  /// Checks that a socket can be made at a path, where an unused one may be replaced.
  static func checkPlace(_ path: String) throws(ImageError) {
    var facts = stat()
    let isThere = lstat(path, &facts) == 0
    if isThere, facts.st_mode & S_IFMT != S_IFSOCK {
      throw ImageError(.cannotListen, "\(path) exists and is not a socket")
    }
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    guard access(folder ?? ".", W_OK | X_OK) == 0 else {
      let reason = errno == ENOENT ? "does not exist" : "is not writable"
      throw ImageError(.cannotListen, "cannot make a socket at \(path): its folder \(reason)")
    }
    if isThere { try checkUnused(path) }
  }

  /// Checks that no process listens on a socket: connecting to it is refused. Any other result,
  /// such as a missing permission, may mean that it is in use.
  private static func checkUnused(_ path: String) throws(ImageError) {
    guard let socket = UnixSocket(path) else { throw listenError(path, errno) }
    let code = socket.connectSocket() ? 0 : errno
    socket.closeSocket()
    guard code == ECONNREFUSED || code == ENOENT else {
      // EAGAIN: its queue of connections is full.
      throw listenError(path, code == 0 || code == EAGAIN ? EADDRINUSE : code)
    }
  }

  static func listenError(_ path: String, _ code: Int32) -> ImageError {
    ListenTarget.unix(path: path).listenError(errno: code)
  }

  /// The sockets that systemd opened for this process, from descriptor 3 on (sd_listen_fds(3)):
  /// `LISTEN_PID` names this process, `LISTEN_FDS` their number.
  public static func activated(_ environment: [String: String]) -> [ListenTarget] {
    guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == getpid(),
      let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...64).contains(count)
    else { return [] }
    return (3..<(3 + count)).map { number in
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      return .descriptor(number)
    }
  }

  /// Reports the state of this process to the service manager (sd_notify(3)): `READY=1`,
  /// `STOPPING=1`.
  public static func notify(_ state: String, _ environment: [String: String]) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else {
      return
    }
    guard let socket = UnixSocket(path, .datagram) else { return }
    socket.send(state)
    socket.closeSocket()
  }
}

final class BoundSocketFile: Sendable {
  private struct Identity: Equatable {
    let device: dev_t
    let number: ino_t

    init?(_ path: String) {
      var facts = stat()
      guard lstat(path, &facts) == 0 else { return nil }
      (device, number) = (facts.st_dev, facts.st_ino)
    }
  }

  /// The socket; closed by its server.
  let descriptor: Int32
  private let path: String
  private let identity: Locked<Identity?>

  /// Makes a socket and listens; an unused one at the path is replaced. Its permissions, as `chmod`
  /// takes them, are set before a client can connect.
  init(_ path: String, mode: UInt16) throws(ImageError) {
    try SocketFile.checkPlace(path)
    _ = unlink(path)
    guard let socket = UnixSocket(path) else {
      throw SocketFile.listenError(path, errno)
    }
    guard socket.bindSocket(), chmod(path, mode_t(mode)) == 0, listen(socket.descriptor, 1024) == 0
    else {
      let code = errno
      socket.closeSocket()
      throw SocketFile.listenError(path, code)
    }
    descriptor = socket.descriptor
    self.path = path
    identity = Locked(Identity(path))
  }

  /// Removes the file, unless another process has replaced it; called while the socket is open, as
  /// the inode number of a closed one may be reused.
  func remove() {
    identity.withLock { identity in
      if let mine = identity, Identity(path) == mine { _ = unlink(path) }
      identity = nil
    }
  }
}

struct UnixSocket {
  enum Kind {
    case stream, datagram
  }
  let descriptor: Int32
  private var address = sockaddr_un()
  private let length: socklen_t

  /// Opens a socket that is closed on exec; a stream does not block. A datagram's path may be an
  /// abstract name after an `@`. `nil` if the system has none left or the path is too long; see
  /// `errno`.
  init?(_ path: String, _ kind: Kind = .stream) {
    var bytes = Array(path.utf8)
    // An abstract name begins with a zero byte and does not end with one.
    let isAbstract = kind == .datagram && bytes.first == UInt8(ascii: "@")
    if isAbstract { bytes[0] = 0 }
    guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      errno = ENAMETOOLONG
      return nil
    }
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let start = MemoryLayout.size(ofValue: address) - MemoryLayout.size(ofValue: address.sun_path)
    length = socklen_t(start + bytes.count + (isAbstract ? 0 : 1))
    #if canImport(Glibc)
      let type =
        kind == .stream ? SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue : SOCK_DGRAM.rawValue
      descriptor = socket(AF_UNIX, Int32(type | SOCK_CLOEXEC.rawValue), 0)
    #else
      descriptor = socket(AF_UNIX, kind == .stream ? SOCK_STREAM : SOCK_DGRAM, 0)
      if descriptor >= 0 {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        if kind == .stream { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
      }
    #endif
    guard descriptor >= 0 else { return nil }
  }

  // Not named as the calls, which would then be hidden; where one fails, `errno` is set.

  func bindSocket() -> Bool { withAddress { bind(descriptor, $0, length) == 0 } }

  func connectSocket() -> Bool { withAddress { connect(descriptor, $0, length) == 0 } }

  func closeSocket() { _ = close(descriptor) }

  func send(_ message: String) {
    let message = Array(message.utf8)
    _ = withAddress { sendto(descriptor, message, message.count, 0, $0, length) }
  }

  private func withAddress<Result>(_ body: (UnsafePointer<sockaddr>) -> Result) -> Result {
    withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0) }
    }
  }
}
