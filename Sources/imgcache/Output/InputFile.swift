import ImageModel

enum InputFile {
  /// - Throws: ``ImageError`` with code `fileUnreadable`, or `limitExceeded` above `maximum` bytes.
  static func read(_ path: String, maximum: Int) throws(ImageError) -> [UInt8] {
    if path != "-", path.fileType == S_IFREG { return try bytes(of: path, maximum) }
    // Reading from stdin or a named pipe may block.
    return try Interruption.whileExpendable { () throws(ImageError) in
      try bytes(of: path, maximum)
    }
  }

  /// Reads a file of settings; an error is that of the option that names it.
  static func read(
    _ path: String, maximum: Int, namedBy option: String
  ) throws(ImageError) -> [UInt8] {
    try ImageError.misuse(about: option) { () throws(ImageError) in try read(path, maximum: maximum)
    }
  }

  private static func bytes(of path: String, _ maximum: Int) throws(ImageError) -> [UInt8] {
    let descriptor = path == "-" ? STDIN_FILENO : open(path.fileName, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw unreadable(path) }
    defer { if descriptor != STDIN_FILENO { close(descriptor) } }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw unreadable(path) }
    guard status.st_mode & S_IFMT != S_IFDIR else {
      throw ImageError(.fileUnreadable, "cannot read \(path): it is a directory")
    }

    var bytes: [UInt8] = []
    if status.st_size <= maximum { bytes.reserveCapacity(Int(status.st_size)) }
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    defer { chunk.deallocate() }
    while status.st_size <= maximum, bytes.count <= maximum {
      let count = systemRead(descriptor, chunk)
      if count == 0 { return bytes }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw unreadable(path) }
      bytes.append(contentsOf: chunk[..<count])
    }
    throw ImageError(.limitExceeded, "\(path) has more than the \(maximum) bytes allowed")
  }

  private static func unreadable(_ path: String) -> ImageError {
    ImageError(.fileUnreadable, "cannot read \(path)", errno: errno)
  }
}

// Outside the type, whose own method of this name would hide it.
private func systemRead(_ descriptor: Int32, _ room: UnsafeMutableRawBufferPointer) -> Int {
  read(descriptor, room.baseAddress, room.count)
}
