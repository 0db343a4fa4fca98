public import HTTPTypes

/// A response in a store.
public protocol StoredEntry: Sendable {
  /// The response's metadata, as the rules of HTTP need it.
  var response: StoredResponse { get }
}

/// The store of an HTTP cache: up to ``StoredResponse/maximumVariantCount`` responses for one URL,
/// distinguished by the request fields that `Vary` names.
///
/// Methods may wait for the disk; call them from threads that may block. An entry that cannot be
/// read is a miss; one that cannot be written is reported by the store and discarded.
public protocol ResponseStore<Entry>: Sendable {
  associatedtype Entry: StoredEntry

  /// Returns all responses stored for a URL; `request` has the fields of the request.
  func entries(for url: String, request: HTTPFields) -> [Entry]
  /// Replaces the metadata of an entry, whose bytes stay, and returns the updated entry.
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
