import Foundation

@testable import ImagePipeline

/// Keeps beginnings of bodies in memory, and whole ones in files of a folder that `remove` deletes.
final class MemoryPartialStore: PartialBodyStoring {
  private struct Kept {
    var validator: String?
    var expectedByteCount: Int?
    var bytes: [UInt8] = []
    var isOpen = false
  }
  private let kept = Locked<[String: Kept]>([:])
  private let folder = FileManager.default.temporaryDirectory
    .appending(path: "partials-\(UUID().uuidString)")

  /// What is kept of a URL's body.
  func bytes(of url: String) -> [UInt8]? { kept.withLock { $0[url]?.bytes } }
  func validator(of url: String) -> String? { kept.withLock { $0[url]?.validator } }
  /// URLs that somebody holds.
  var openCount: Int { kept.withLock { $0.values.count { $0.isOpen } } }

  func keep(_ bytes: [UInt8], of url: String, validator: String, expectedByteCount: Int? = nil) {
    kept.withLock {
      $0[url] = Kept(validator: validator, expectedByteCount: expectedByteCount, bytes: bytes)
    }
  }

  func remove() { try? FileManager.default.removeItem(at: folder) }

  func keepsPartial(of url: String) -> Bool { kept.withLock { $0[url] != nil } }

  func openPartial(for url: String) throws(ImageError) -> (any PartialBody)? {
    let isFree = kept.withLock { kept in
      guard kept[url]?.isOpen != true else { return false }
      kept[url, default: Kept()].isOpen = true
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
        $0[url] = Kept(validator: validator, expectedByteCount: expectedByteCount, isOpen: true)
      }
    }

    func append(_ bytes: RawSpan) {
      let more = bytes.withUnsafeBytes { [UInt8]($0) }
      store.kept.withLock { $0[url]?.bytes += more }
    }

    func contents() -> [UInt8] { now.bytes }

    func finish() throws(ImageError) -> String {
      let path = store.folder.appending(path: UUID().uuidString)
      do {
        try FileManager.default.createDirectory(
          at: store.folder, withIntermediateDirectories: true)
        try Data(now.bytes).write(to: path)
      } catch {
        throw ImageError(.storeFailed, "cannot write \(path.path)")
      }
      discard()
      return path.path
    }

    func discard() { store.kept.withLock { $0[url] = nil } }
  }
}
