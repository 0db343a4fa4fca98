import HTTPTypes
import ImageModel

/// The prefixes of bodies whose transfer failed: `partial/<hash of the URL>` holds the bytes, and
/// `….head` beside it three lines: the version's validator, the length of the whole body, and the
/// boot time of the machine; a fourth is the mark of the request's credentials, if it had any. A
/// power loss may lose bytes that were written, so a prefix ends with its boot.
///
/// The body file is locked while it is written, so it has one writer over all processes. The head
/// is published whole before the body's first byte, so a body without a head is an empty prefix.
final class PartialStore: PartialBodyStoring {
  private struct State {
    /// Whether there may be prefixes that the limits have not been applied to: those of earlier
    /// processes, and those that were left since. Without any, no store lists the folder.
    var hasUnbounded = true
    /// The prefixes left by this process, by path: a retry neither reads nor hashes them again.
    var left: [String: PartialFile.Left] = [:]
  }

  private let blobs: BlobStore
  private let isWritable: Bool
  private let maximumByteCount: Int
  private let mark: @Sendable (HTTPFields) -> String
  private let state = Locked(State())
  /// The maximum number of files, two for each prefix, when another prefix is begun.
  static let maximumFileCount = 1024
  private static let maximumLeftCount = 64

  init(
    blobs: BlobStore, isWritable: Bool = true, maximumByteCount: Int = .max,
    mark: @escaping @Sendable (HTTPFields) -> String = { _ in "" }
  ) {
    self.mark = mark
    self.blobs = blobs
    self.isWritable = isWritable
    self.maximumByteCount = maximumByteCount
  }

  func keepsPartial(of url: String) -> Bool {
    isWritable && (try? blobs.files.exists(at: path(of: url) + ".head")) == true
  }

  func openPartial(
    for url: String, sentWith credentials: HTTPFields
  ) throws(ImageError) -> (any PartialBody)? {
    guard isWritable else { return nil }
    let path = path(of: url)
    let isNew = !keepsPartial(of: url)
    let (bounds, left) = state.withLock { state in
      defer { if isNew { state.hasUnbounded = false } }
      return (isNew && state.hasUnbounded, state.left.removeValue(forKey: path))
    }
    if bounds {
      Leftovers(blobs: blobs).boundPartials(to: maximumByteCount, count: Self.maximumFileCount)
    }
    return try translatingErrors {
      try PartialFile(at: path, in: blobs, mark: mark(credentials), left: left) { [state] left in
        state.withLock { state in
          state.hasUnbounded = true
          if state.left.count >= Self.maximumLeftCount { state.left = [:] }
          state.left[path] = left
        }
      }
    }
  }

  private func path(of url: String) -> String {
    var text = url
    let hash = text.withUTF8 { SHA256.hash(of: UnsafeRawBufferPointer($0)) }
    return "\(blobs.directory)/partial/\(hash.hex)"
  }
}
