import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Sockets in the file system, and the protocol of the service manager.
public enum SocketFile {
  /// Checks that a socket can be made at a path; an unused socket there may be replaced.
  ///
  /// - Throws: ``ImageError`` with code `cannotListen` if its folder is not writable, a process
  ///   listens there, or the file is not a socket.
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

  /// The sockets that systemd opened for this process, from descriptor 3 on (sd_listen_fds(3)).
  ///
  /// - Parameter environment: `LISTEN_PID` names this process, `LISTEN_FDS` their number.
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
