import DiskCaching
import ImageModel

/// A folder for many files, each of which appears whole under its name or not at all.
struct OutputFolder: Sendable {
  let path: String

  /// Whether `-o` names a folder: one that exists, or any path with a slash at its end.
  static func isNamed(by path: String) -> Bool { path.hasSuffix("/") || path.fileType == S_IFDIR }

  init(creating path: String) throws(ImageError) {
    self.path = path.hasSuffix("/") ? path : path + "/"
    var end = path.startIndex
    while let slash = self.path[end...].firstIndex(of: "/") {
      end = self.path.index(after: slash)
      let part = String(self.path[..<end])
      guard mkdir(part.fileName, 0o777) != 0, errno != EEXIST else { continue }
      // A folder above may exist and be on a file system that refuses the call before it looks.
      let reason = errno
      guard !Self.isFolder(part) else { continue }
      throw ImageError(writing: "cannot create the folder \(part)", errno: reason)
    }
    guard Self.isFolder(self.path) else {
      throw ImageError(writing: "cannot write to the folder \(path)", errno: errno)
    }
  }

  private static func isFolder(_ path: String) -> Bool {
    guard let type = path.fileType else { return false }
    if type != S_IFDIR { errno = ENOTDIR }
    return type == S_IFDIR
  }

  /// Writes a file that has no place in the folder yet; it is removed when the value is released.
  func stage(_ bytes: [UInt8]) throws(ImageError) -> AtomicFile {
    let file = try AtomicFile(in: path.fileName, path: "to the folder \(path)", mode: 0o666)
    try file.write(bytes.span.bytes)
    return file
  }

  /// Gives a file its name, in place of a file or a symbolic link of that name.
  func publish(_ file: AtomicFile, as name: String) throws(ImageError) {
    try file.publish(as: name.fileName, path: path + name)
  }
}
