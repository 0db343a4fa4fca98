#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension FetchedBody {
  /// Removes the file of a body that nobody adopts.
  func remove() {
    if case .file(let path, _) = self { try? FileManager.default.removeItem(atPath: path) }
  }

  /// The bytes, for a body that ends here: its file is removed.
  func takeBytes() throws -> [UInt8] {
    defer { remove() }
    return try bytes()
  }
}
