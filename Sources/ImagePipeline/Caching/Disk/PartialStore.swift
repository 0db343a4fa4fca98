/// The beginnings of bodies, `partial/<hash of the URL>`: the body's bytes, and beside them
/// `….head`, three lines with the version's validator, the length of the whole and the start of the
/// machine: after a power loss bytes may be missing that were written, so a beginning ends with its
/// boot.
///
/// The body file is locked while somebody writes it, so only one does, over all processes. The head
/// is written whole under another name before the body's first byte, so a body without a head is an
/// empty beginning.
struct PartialStore: PartialBodyStoring {
  let blobs: BlobStore
  /// Whether files may be made; else nothing is kept.
  var isWritable = true
  /// Bytes that all of them together may have when another one is begun.
  var maximumByteCount = Int.max
  /// Files that there may be then, two for each beginning.
  static let maximumFileCount = 1024

  func keepsPartial(of url: String) -> Bool {
    isWritable && ((try? blobs.files.facts(at: path(of: url) + ".head")) ?? nil) != nil
  }

  func openPartial(for url: String) throws(ImageError) -> (any PartialBody)? {
    guard isWritable else { return nil }
    let path = path(of: url)
    if !keepsPartial(of: url) {
      Leftovers(blobs: blobs)
        .boundPartials(to: maximumByteCount, count: Self.maximumFileCount)
    }
    do throws(FileSystemFailure) {
      return try PartialFile(at: path, files: blobs.files, prepare: blobs.prepare)
    } catch {
      throw error.error
    }
  }

  private func path(of url: String) -> String {
    var text = url
    let hash = text.withUTF8 { SHA256.hash(of: UnsafeRawBufferPointer($0)) }
    return "\(blobs.directory)/partial/\(hash.hex)"
  }
}
