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

  /// Where the bytes lie, for one who keeps none of them.
  var described: DataResponse.Body {
    switch self {
    case .bytes(let bytes): .bytes(bytes)
    case .file(let path, _): .file(path: path)
    }
  }

  /// The bytes, for a body that ends here: its file is removed.
  func takeBytes() throws -> [UInt8] {
    defer { remove() }
    return try bytes()
  }
}
