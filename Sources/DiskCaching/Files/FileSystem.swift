/// The operations that the disk cache needs of a file system; tests inject faults here.
///
/// Except for ``canonicalPath(of:)`` no call follows a symbolic link, in any component of a path,
/// and only regular files are opened: a link or a FIFO that another user put into the directory
/// is not followed and blocks no thread.
package protocol FileSystem: Sendable {
  /// The same file system, with a shorter way to what is below a directory.
  func rooted(at directory: String) -> any FileSystem
  /// The absolute path without symbolic links; components that do not exist are kept as they are.
  func canonicalPath(of path: String) -> String
  /// Creates a directory; one that exists is not an error.
  func makeDirectory(_ path: String) throws(FileSystemFailure)
  /// Hints that the folders of a directory should be placed far from each other; may do nothing.
  func spreadFolders(in directory: String)
  /// Creates a file, which must not exist, and opens it for reading and writing.
  func create(_ path: String, mode: UInt16) throws(FileSystemFailure) -> Int32
  /// Creates a file without a name, for reading and writing; `nil` where the file system has none.
  func createUnnamed(in directory: String, mode: UInt16) throws(FileSystemFailure) -> Int32?
  /// Gives a file without a name its name, which nothing has.
  func link(_ file: Int32, to path: String) throws(FileSystemFailure)
  func openRegular(
    _ path: String, forWriting: Bool
  ) throws(FileSystemFailure) -> (file: Int32, facts: FileFacts)
  /// Reads a regular file of so many bytes; `nil` when it has another length.
  func read(_ path: String, byteCount: Int) throws(FileSystemFailure) -> [UInt8]?
  /// Opens a regular file of so many bytes if the system has them in memory; `nil` otherwise.
  func openCached(_ path: String, byteCount: Int) -> Int32?
  func openDirectory(_ path: String) throws(FileSystemFailure) -> Int32
  func write(
    _ bytes: UnsafeRawBufferPointer, to file: Int32, at offset: Int
  ) throws(FileSystemFailure)
  func truncate(_ file: Int32) throws(FileSystemFailure)
  /// Gives a file its space on the disk up to an offset, where there is some; its length stays.
  func reserve(_ file: Int32, upTo end: Int)
  /// Reads from an offset until the room is full or the file ends.
  func read(
    into room: UnsafeMutableRawBufferPointer, from file: Int32, at offset: Int
  ) throws(FileSystemFailure) -> Int
  func facts(of file: Int32) throws(FileSystemFailure) -> FileFacts
  func facts(at path: String) throws(FileSystemFailure) -> FileFacts?
  func exists(at path: String) throws(FileSystemFailure) -> Bool
  /// Waits until what was written to a file or directory is on the disk.
  func synchronize(_ file: Int32) throws(FileSystemFailure)
  /// Waits until the bytes of a file are on the disk, and its length; not its times.
  func synchronizeData(_ file: Int32) throws(FileSystemFailure)
  func setMode(_ mode: UInt16, of file: Int32) throws(FileSystemFailure)
  func close(_ file: Int32)
  /// Renames a file, replacing one of that name.
  func rename(_ path: String, to other: String) throws(FileSystemFailure)
  /// Removes a file; an absent one is not an error.
  func remove(_ path: String) throws(FileSystemFailure)
  func removeDirectoryIfEmpty(_ path: String)
  /// The names in a directory, without `.` and `..`.
  func names(in directory: String) throws(FileSystemFailure) -> [String]
  func space(at directory: String) throws(FileSystemFailure) -> FileSystemSpace
  func mayWrite(in directory: String) -> Bool
  /// Takes the exclusive lock of an open file, if it is free; closing releases it.
  func tryLock(_ file: Int32) throws(FileSystemFailure) -> Bool
  func unlock(_ file: Int32)
}

package struct FileSystemSpace: Sendable, Hashable {
  /// All bytes, those that are reserved included.
  package var byteCount: Int
  package var freeByteCount: Int
}

extension FileSystem {
  func open(_ path: String, forWriting: Bool) throws(FileSystemFailure) -> Int32 {
    try openRegular(path, forWriting: forWriting).file
  }

  func openIfPresent(
    _ path: String, forWriting: Bool
  ) throws(FileSystemFailure) -> (file: Int32, facts: FileFacts)? {
    do throws(FileSystemFailure) {
      return try openRegular(path, forWriting: forWriting)
    } catch {
      if error.isAbsent { return nil }
      throw error
    }
  }

  /// Reads a regular file whole; `nil` when nothing is at the path, or more than so many bytes.
  func readIfPresent(
    _ path: String, upTo maximumByteCount: Int
  ) throws(FileSystemFailure) -> [UInt8]? {
    guard let (file, facts) = try openIfPresent(path, forWriting: false) else { return nil }
    defer { close(file) }
    guard facts.byteCount <= maximumByteCount else { return nil }
    return try readWhole(file, byteCount: facts.byteCount)
  }

  /// Calls a body with the bytes of a file from its start, a piece at a time; returns their number.
  func forEachPiece(
    of file: Int32, upTo end: Int = .max, _ body: (UnsafeRawBufferPointer) -> Void
  ) throws(FileSystemFailure) -> Int {
    try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) {
      room throws(FileSystemFailure) in
      var offset = 0
      while offset < end {
        let rest = UnsafeMutableRawBufferPointer(rebasing: room.prefix(end - offset))
        let count = try read(into: rest, from: file, at: offset)
        if count == 0 { break }
        body(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
        offset += count
      }
      return offset
    }
  }

  /// Reads so many bytes from the start of an open file; `nil` when there are fewer.
  func readWhole(_ file: Int32, byteCount: Int) throws(FileSystemFailure) -> [UInt8]? {
    var failure: FileSystemFailure?
    let bytes = [UInt8](unsafeUninitializedCapacity: byteCount) { room, count in
      let room = UnsafeMutableRawBufferPointer(room.extracting(..<byteCount))
      do throws(FileSystemFailure) {
        count = try read(into: room, from: file, at: 0)
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    return bytes.count == byteCount ? bytes : nil
  }
}

final class OpenFile: Sendable {
  let descriptor: Int32
  let files: any FileSystem

  init(_ descriptor: Int32, _ files: any FileSystem) {
    self.descriptor = descriptor
    self.files = files
  }

  deinit { files.close(descriptor) }

  var isNamed: Bool { (try? files.facts(of: descriptor))?.linkCount ?? 1 > 0 }
}
