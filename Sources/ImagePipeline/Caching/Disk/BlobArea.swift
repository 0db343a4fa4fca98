/// The two kinds of files in a cache directory, each with a limit of its own.
enum BlobArea: Int, Sendable, CaseIterable {
  /// Originals and variants.
  case pictures = 0
  /// Feeds' documents.
  case documents = 1

  /// The folder in the cache directory.
  var folder: String {
    switch self {
    case .pictures: "blobs"
    case .documents: "documents"
    }
  }

  init(of key: CacheKey) {
    switch key {
    case .original, .variant: self = .pictures
    case .document: self = .documents
    }
  }
}
