import FoundationEssentials
import HTTPTypes

final class TaskCoalescer<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  func value(for key: Key, _ body: @Sendable () async throws -> Value) async throws -> Value {
    try await body()
  }
}
