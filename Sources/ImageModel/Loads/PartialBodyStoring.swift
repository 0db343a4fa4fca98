package import HTTPTypes

/// The prefixes of bodies whose transfer failed, which a fetcher resumes.
public struct PartialBodies: Sendable {
  package let store: any PartialBodyStoring

  package init(_ store: any PartialBodyStoring) { self.store = store }
}

/// Keeps the prefixes of bodies whose transfer failed, for the fetcher to resume.
package protocol PartialBodyStoring: Sendable {
  /// Whether a prefix of the URL's body may be kept: a cheap check before
  /// ``openPartial(for:sentWith:)``.
  func keepsPartial(of url: String) -> Bool
  /// Opens what is kept of a URL's body, or an empty prefix.
  ///
  /// Only one holder at a time has a URL, over all processes.
  ///
  /// - Parameter credentials: The fields of the request by which the origin knows the client. A
  ///   prefix that was fetched with others is discarded.
  /// - Returns: `nil` when another holder has it; then the body is fetched without keeping a
  ///   prefix.
  /// - Throws: ``ImageError`` when the store is unusable.
  func openPartial(
    for url: String, sentWith credentials: HTTPFields
  ) throws(ImageError) -> (any PartialBody)?
}

extension PartialBodyStoring {
  /// The same for a request without credentials.
  package func openPartial(for url: String) throws(ImageError) -> (any PartialBody)? {
    try openPartial(for: url, sentWith: [:])
  }
}

/// The kept prefix of one body. Released without ``finish()`` or ``discard()`` it stays for the
/// next attempt.
package protocol PartialBody: AnyObject, Sendable {
  /// The strong ETag or the Last-Modified that names the version, verbatim; `nil` for an empty
  /// prefix.
  var validator: String? { get }
  var expectedByteCount: Int? { get }
  var byteCount: Int { get }

  /// Discards what is there and begins with another version.
  func restart(validator: String?, expectedByteCount: Int?) throws(ImageError)
  func append(_ bytes: RawSpan) throws(ImageError)
  func contents() throws(ImageError) -> [UInt8]
  /// Ends the prefix: the body is whole, and is removed with its last reference.
  func finish() -> any StagedBody
  func discard()
}

/// A whole body in a file that its last reference removes, unless a store has renamed the file.
package protocol StagedBody: AnyObject, Sendable {
  var byteCount: Int { get }
  func withFile<Result>(_ body: (Int32) throws -> Result) throws -> Result
}
