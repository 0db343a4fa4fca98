import HTTPCaching
import NIOCore

/// The object store behind the servers. What a pointer in the servers does not name, or what is of
/// another generation, does not count, so an object may be lost, damaged or left over.
extension SharedTier {
  private static let readDeadline = Duration.seconds(1)
  /// In the background.
  private static let writeDeadline = Duration.seconds(30)

  func isForObjects(_ value: TierValue, _ key: TierKey) -> Bool {
    guard configuration.objects != nil, !value.body.isEmpty else { return false }
    return key.variant == nil || value.body.count > configuration.maximumBodyByteCount
  }

  /// Reads the body of a value that the servers have a pointer to, if it is of use.
  func complete(
    _ held: Held, for key: TierKey, _ isUsable: @Sendable (TierValue) -> Bool
  ) async -> Held {
    guard held.isPointer else { return held }
    var held = held
    let pointed = held.found
    held.found = nil
    guard let pointed, isUsable(pointed.value), let object = await object(of: key),
      object.generation == pointed.generation, object.value.isSame(as: pointed.value)
    else { return held }
    held.found = (object.value, object.generation)
    return held
  }

  /// An object whose pointer the servers have lost, unless it may have been purged: a purge deletes
  /// the object and sets a generation that is marked as a purge's. Under any other generation,
  /// nothing was purged since the object was written.
  func lostObject(of key: TierKey, under generation: TierGeneration) async -> TierValue? {
    guard configuration.objects != nil, key.variant == nil, !purger.isPurging(key.url),
      let object = await object(of: key),
      object.generation == generation || !generation.isOfPurge, counts(object.value)
    else { return nil }
    return object.value
  }

  private func object(of key: TierKey) async -> TierValueCoding.Decoded? {
    let deadline = ContinuousClock.now + Self.readDeadline
    let found = await callObjects { try await $0.object(names.object(key), until: deadline) }
    guard let bytes = found ?? nil else { return nil }
    do throws(TierValueCoding.Fault) {
      let decoded = try TierValueCoding.decode(ByteBuffer(bytes: bytes))
      guard !decoded.isPointer else { return nil }
      count { $0.objectReads += 1 }
      return decoded
    } catch {
      if error == .damaged { count { $0.damages += 1 } }
      return nil
    }
  }

  func storeObject(
    _ value: TierValue, _ generation: TierGeneration, for key: TierKey
  ) async -> Bool {
    let bytes = Array(TierValueCoding.encode(value, generation).readableBytesView)
    let deadline = ContinuousClock.now + Self.writeDeadline
    let isStored: Void? = await callObjects {
      try await $0.store(bytes, as: names.object(key), until: deadline)
    }
    if isStored != nil { count { $0.objectWrites += 1 } }
    return isStored != nil
  }

  /// Deletes an object in the background, if the store does not fail.
  func removeObjectLater(of key: TierKey) {
    guard configuration.objects != nil else { return }
    objectWrites.add(byteCount: 0) { [self] in
      let deadline = ContinuousClock.now + Self.writeDeadline
      _ = await callObjects { try await $0.remove(names.object(key), until: deadline) }
    }
  }

  /// Deletes the object of a source, and returns the reason why it could not.
  func removeObject(of key: TierKey, within time: Duration) async -> String? {
    guard let objects = configuration.objects else { return nil }
    do {
      // Not subject to the breaker: purges are rare, and count.
      try await objects.remove(names.object(key), until: .now + time)
      return nil
    } catch {
      count { $0.objectErrors += 1 }
      return "the object store failed: \(error)"
    }
  }

  /// Makes a call unless the store fails; `nil` where it has failed or was not made.
  private func callObjects<Result>(
    _ body: (any TierObjectStore) async throws -> Result
  ) async -> Result? {
    guard let objects = configuration.objects else { return nil }
    guard objectStore.admits() else {
      count { $0.objectErrors += 1 }
      return nil
    }
    do {
      let result = try await body(objects)
      objectStore.succeeded()
      return result
    } catch is CancellationError {
      objectStore.wasNotMade()
      return nil
    } catch {
      count { $0.objectErrors += 1 }
      objectStore.failed(error)
      return nil
    }
  }
}

extension TierValue {
  /// Whether it is the value that a pointer was written with: an object may be that of another writer.
  fileprivate func isSame(as pointer: TierValue) -> Bool {
    var (own, other) = (self, pointer)
    own.body = []
    own.response.byteCount = 0
    other.response.byteCount = 0
    return own == other
  }
}
