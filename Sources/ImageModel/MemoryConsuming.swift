/// A holder of memory that can be told to hold less: what the memory governor shares out among.
public protocol MemoryConsuming: AnyObject, Sendable {
  /// The bytes that it holds now.
  var byteCount: Int { get }

  /// Sets what it may hold, and lets go at once of what is above.
  func setMaximumByteCount(_ limit: Int)
}
