/// A stage of the journey from a request to a picture.
public enum LoadStage: String, Sendable, CaseIterable, Codable {
  /// A look into memory.
  case memory
  /// A look at the disk.
  case disk
  /// The hook that may rewrite or refuse a request.
  case prepare
  /// Waiting for a place among the fetches.
  case wait
  /// The transfer, with its redirects and tries.
  case fetch
  /// Whether the bytes are a whole picture.
  case check
  /// Writing to the disk.
  case store
  /// From bytes to pixels.
  case decode
  /// A processor.
  case process
}
