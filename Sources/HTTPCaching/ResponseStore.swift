import HTTPTypes

/// A response in a store.
public protocol StoredEntry: Sendable {
  /// What the rules of HTTP know of it.
  var response: StoredResponse { get }
}

/// Where an HTTP cache keeps responses: up to ``StoredResponse/maximumVariantCount`` for one URL,
/// told apart by the request's fields that `Vary` names.
///
/// Methods may wait for the disk; call them from threads that may. What cannot be read is a miss,
/// and what cannot be written is reported by the store and lost.
public protocol ResponseStore<Entry>: Sendable {
  associatedtype Entry: StoredEntry

  /// Returns all that is stored for a URL.
  ///
  /// - Parameter request: The fields of the request that asks.
  func entries(for url: String, request: HTTPFields) -> [Entry]
  /// Replaces what is known of an entry, whose bytes stay, and returns the entry as it is then.
  func update(_ entry: Entry, as response: StoredResponse, for url: String) -> Entry
  /// Removes an entry.
  func remove(_ entry: Entry, for url: String)
  /// Removes all that is stored for a URL.
  func removeAll(for url: String)
  /// Removes all responses of an origin that belong to one of some groups (RFC 9875 §3). Default:
  /// does nothing, for a store whose cache sends safe requests alone.
  func removeAll(inGroups groups: Set<String>, of origin: String)
}

extension ResponseStore {
  /// Does nothing.
  public func removeAll(inGroups groups: Set<String>, of origin: String) {}
}
