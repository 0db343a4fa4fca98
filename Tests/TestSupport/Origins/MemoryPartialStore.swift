import Foundation
import HTTPTypes
import Testing

@testable import ImageModel

/// Keeps prefixes of bodies in memory, and complete ones in unnamed files.
final class MemoryPartialStore: PartialBodyStoring {
  /// The bytes of a body that there is room for.
  private let room: Int

  /// - Parameter room: Default: enough.
  init(room: Int = .max) { self.room = room }

  private struct Kept {
    var validator: String?
    var expectedByteCount: Int?
    var bytes: [UInt8] = []
    var credentials = HTTPFields()
    var isOpen = false
  }
  private let kept = Locked<[String: Kept]>([:])

  /// The stored bytes of a URL's body.
  func bytes(of url: String) -> [UInt8]? { kept.withLock { $0[url]?.bytes } }
  /// The number of URLs with an open partial body.
  var openCount: Int { kept.withLock { $0.values.count { $0.isOpen } } }

  func keep(_ bytes: [UInt8], of url: String, validator: String, expectedByteCount: Int? = nil) {
    kept.withLock {
      $0[url] = Kept(validator: validator, expectedByteCount: expectedByteCount, bytes: bytes)
    }
  }

  func keepsPartial(of url: String) -> Bool { kept.withLock { $0[url] != nil } }

  func openPartial(
    for url: String, sentWith credentials: HTTPFields
  ) throws(ImageError) -> (any PartialBody)? {
    let isFree = kept.withLock { kept in
      guard kept[url]?.isOpen != true else { return false }
      if kept[url]?.credentials != credentials { kept[url] = Kept(credentials: credentials) }
      kept[url]?.isOpen = true
      return true
    }
    return isFree ? Partial(url: url, store: self) : nil
  }

  private final class Partial: PartialBody {
    let url: String
    let store: MemoryPartialStore

    init(url: String, store: MemoryPartialStore) {
      self.url = url
      self.store = store
    }

    deinit {
      store.kept.withLock { kept in
        kept[url]?.isOpen = false
        if kept[url]?.bytes.isEmpty == true { kept[url] = nil }
      }
    }

    private var now: Kept { store.kept.withLock { $0[url] ?? Kept() } }
    var validator: String? { now.validator }
    var expectedByteCount: Int? { now.expectedByteCount }
    var byteCount: Int { now.bytes.count }

    func restart(validator: String?, expectedByteCount: Int?) {
      store.kept.withLock {
        $0[url] = Kept(
          validator: validator, expectedByteCount: expectedByteCount,
          credentials: $0[url]?.credentials ?? [:], isOpen: true)
      }
    }

    func append(_ bytes: RawSpan) throws(ImageError) {
      guard bytes.byteCount <= store.room - byteCount else {
        throw ImageError(.storeFailed, "no room")
      }
      let more = bytes.withUnsafeBytes { [UInt8]($0) }
      store.kept.withLock { $0[url]?.bytes += more }
    }

    func contents() -> [UInt8] { now.bytes }

    func finish() -> any StagedBody {
      let body = StagedBytes(now.bytes)
      discard()
      return body
    }

    func discard() { store.kept.withLock { $0[url] = nil } }
  }
}

/// A body in an unnamed file.
final class StagedBytes: StagedBody {
  let byteCount: Int
  private let file: FileHandle?

  init(_ bytes: [UInt8]) {
    byteCount = bytes.count
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    _ = FileManager.default.createFile(atPath: path, contents: Data(bytes))
    file = FileHandle(forReadingAtPath: path)
    try? FileManager.default.removeItem(atPath: path)
  }

  func withFile<Result>(_ body: (Int32) throws -> Result) throws -> Result {
    try body(try #require(file).fileDescriptor)
  }
}
