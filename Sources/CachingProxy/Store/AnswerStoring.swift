import ImagePipeline

/// Where a proxy keeps answers: up to ``StoredAnswer/maximumVariantCount`` of one URL, told apart
/// by the fields that `Vary` names.
///
/// Methods may wait for the disk; they are called on threads that may.
protocol AnswerStoring: Sendable {
  /// All that is stored for a URL.
  func answers(for url: String) -> [StoredEntry]
  /// Begins to take an answer; `nil` when it cannot be kept.
  ///
  /// - Parameter byteCount: The length of its body; `nil` when that is not known.
  func stage(byteCount: Int?) -> (any StagedAnswer)?
  /// Replaces what is known of an entry; its bytes stay.
  func renew(_ entry: StoredEntry, as answer: StoredAnswer, for url: String)
  /// Counts a use of an entry whose bytes were not needed, as for a 304; opening the bytes counts
  /// by itself.
  func touch(_ entry: StoredEntry, for url: String)
  /// Forgets an entry.
  func remove(_ entry: StoredEntry, for url: String)
  /// Forgets all that is stored for a URL.
  func removeAll(for url: String)
}

/// An answer in a store.
struct StoredEntry: Sendable {
  let answer: StoredAnswer
  /// Opens its bytes; `nil` when they are gone.
  let open: @Sendable () -> (any StoredBody)?
}

/// The bytes of a stored answer.
protocol StoredBody: Sendable {
  /// Bytes from a place on, at most so many; fewer only at the end.
  ///
  /// - Throws: When they cannot be read.
  func read(at offset: Int, count: Int) throws -> [UInt8]
}

/// An answer that is being stored; its bytes can be read meanwhile. One task at a time appends.
protocol StagedAnswer: StoredBody {
  /// Adds bytes.
  ///
  /// - Throws: When there are too many, or there is no room; then the answer cannot be kept any
  ///   more, but what was added before can still be read.
  func append(_ bytes: [UInt8]) throws
  /// Puts the answer in place of the one that is stored for the URL and the same selection, and
  /// returns it.
  func commit(_ answer: StoredAnswer, for url: String) throws -> StoredEntry
}
