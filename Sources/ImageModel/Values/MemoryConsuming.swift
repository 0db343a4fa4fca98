/// A holder of memory with an adjustable limit, to which the memory governor assigns a share.
public protocol MemoryConsuming: AnyObject, Sendable {
  /// The bytes that it holds now.
  var byteCount: Int { get }

  /// Sets the limit on the memory held, and releases any excess at once.
  func setMaximumByteCount(_ limit: Int)
}
