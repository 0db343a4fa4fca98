/// A pointer that several threads may use: to memory that is never written again, or whose accesses
/// are synchronized by atomics or by a lock behind it. The owner frees the memory last.
package struct SharedPointer<Pointer>: Sendable {
  package nonisolated(unsafe) let pointer: Pointer

  package init(_ pointer: Pointer) { self.pointer = pointer }
}
