import ImagePipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Sockets in the file system, and those that the service manager hands over.
public enum SocketFile {
  /// Whether a socket can be made at a path; one that is left over there is no hindrance.
  ///
  /// - Throws: ``ImageError`` with code `cannotListen` where its folder is not writable, somebody listens there, or
  ///   something else is there.
  static func checkPlace(_ path: String) throws(ImageError) {
    var facts = stat()
    let isThere = lstat(path, &facts) == 0
    if isThere, facts.st_mode & S_IFMT != S_IFSOCK {
      throw ImageError(.cannotListen, "\(path) is there, and no socket")
    }
    let folder = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : String(path[..<$0]) }
    guard access(folder ?? ".", W_OK | X_OK) == 0 else {
      throw ImageError(.cannotListen, "no socket can be made at \(path)")
    }
    if isThere { try checkUnused(path) }
  }

  /// A socket that nobody listens on refuses who connects. Any other answer, or none for want of a permission, may come
  /// from somebody who does: what is in use is not taken away.
  private static func checkUnused(_ path: String) throws(ImageError) {
    guard let socket = UnixSocket(path) else { throw cannotListen(path, errno) }
    let code = socket.connect() ? 0 : errno
    socket.close()
    guard code == ECONNREFUSED || code == ENOENT else {
      // A full queue of connections says to come again.
      throw cannotListen(path, code == 0 || code == EAGAIN ? EADDRINUSE : code)
    }
  }

  /// That a path cannot be listened on, in the words of the system.
  static func cannotListen(_ path: String, _ code: Int32) -> ImageError {
    ImageError(.cannotListen, "cannot listen on \(ListenTarget.unix(path: path))", errno: code)
  }

  /// The sockets that systemd opened for this process (sd_listen_fds(3)): they begin at descriptor 3.
  ///
  /// - Parameter environment: `LISTEN_PID` has to name this process, `LISTEN_FDS` tells how many there are.
  public static func activated(_ environment: [String: String]) -> [ListenTarget] {
    guard environment["LISTEN_PID"].flatMap({ Int32($0) }) == getpid(),
      let count = environment["LISTEN_FDS"].flatMap({ Int32($0) }), (1...64).contains(count)
    else { return [] }
    return (3..<(3 + count)).map { number in
      _ = fcntl(number, F_SETFD, FD_CLOEXEC)
      return .descriptor(number)
    }
  }

  /// Tells the service manager how this process is (sd_notify(3)): `READY=1`, `STOPPING=1`.
  public static func notify(_ state: String, _ environment: [String: String]) {
    guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else {
      return
    }
    guard let socket = UnixSocket(path, .datagram) else { return }
    socket.send(state)
    socket.close()
  }
}
