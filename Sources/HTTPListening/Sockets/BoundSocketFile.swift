import ImageModel

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A socket in the file system that this process listens on; it never replaces one in use.
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

  /// Makes a socket and listens; an unused one at the path is replaced.
  ///
  /// - Parameter mode: The permissions, as `chmod` takes them; set before a client can connect.
  /// - Throws: ``ImageError`` with code `cannotListen`, also if a process listens there.
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
