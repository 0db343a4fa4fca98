import ImagePipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A socket in the file system that this process listens on; it never takes the place of one that is in use.
final class BoundSocketFile: Sendable {
  private struct Identity: Equatable {
    let device: dev_t
    let number: ino_t

    /// Which file is at a path; `nil` where there is none.
    init?(_ path: String) {
      var facts = stat()
      guard lstat(path, &facts) == 0 else { return nil }
      (device, number) = (facts.st_dev, facts.st_ino)
    }
  }

  /// The socket; closed by whoever serves on it.
  let descriptor: Int32
  private let path: String
  private let identity: Locked<Identity?>

  /// Makes a socket and listens; one that is left over at the path is replaced.
  ///
  /// - Parameter mode: Who may connect, as `chmod` takes it; set before anybody can.
  /// - Throws: ``ImageError`` with code `cannotListen`, also where somebody listens there.
  init(_ path: String, mode: UInt16) throws(ImageError) {
    try SocketFile.checkPlace(path)
    _ = unlink(path)
    guard let socket = UnixSocket(path) else {
      throw SocketFile.cannotListen(path, errno)
    }
    guard socket.bind(), chmod(path, mode_t(mode)) == 0, listen(socket.descriptor, 1024) == 0 else {
      let code = errno
      socket.close()
      throw SocketFile.cannotListen(path, code)
    }
    descriptor = socket.descriptor
    self.path = path
    identity = Locked(Identity(path))
  }

  /// Removes the file, unless it is somebody else's by now; called while the socket is open still: a closed one's number
  /// may be given to the next.
  func remove() {
    identity.withLock { identity in
      if let mine = identity, Identity(path) == mine { _ = unlink(path) }
      identity = nil
    }
  }
}
