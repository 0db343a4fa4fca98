/// Where the beginnings of bodies are kept whose transfer broke off; the fetcher asks, the disk answers.
package protocol PartialBodyStoring: Sendable {
  /// Whether a beginning of the URL's body may be kept: a cheap look before ``openPartial(for:)``.
  func keepsPartial(of url: String) -> Bool
  /// Opens what is kept of a URL's body, or an empty beginning.
  ///
  /// Only one holder at a time has a URL, over all processes.
  ///
  /// - Returns: `nil` when another holder has it; then the body is fetched without keeping its beginning.
  /// - Throws: ``ImageError`` when the store is unusable.
  func openPartial(for url: String) throws(ImageError) -> (any PartialBody)?
}

/// The kept beginning of one body. Released without ``finish()`` or ``discard()`` it stays for the next time.
package protocol PartialBody: AnyObject, Sendable {
  /// The strong ETag or the Last-Modified that names the version, as it stands; `nil` for an empty beginning.
  var validator: String? { get }
  /// Bytes of the whole body, where the origin said; `nil` when unknown.
  var expectedByteCount: Int? { get }
  /// Bytes that are there.
  var byteCount: Int { get }

  /// Throws away what is there and begins with another version.
  func restart(validator: String?, expectedByteCount: Int?) throws(ImageError)
  /// Adds bytes at the end.
  func append(_ bytes: RawSpan) throws(ImageError)
  /// All bytes so far, read back.
  func contents() throws(ImageError) -> [UInt8]
  /// Ends the partial: the file is whole.
  ///
  /// - Returns: The path of the file, which is the caller's from now on.
  func finish() throws(ImageError) -> String
  /// Removes it.
  func discard()
}

extension PartialBodyStoring {
  /// Does not know, so that the store is always opened.
  package func keepsPartial(of url: String) -> Bool { true }
}
