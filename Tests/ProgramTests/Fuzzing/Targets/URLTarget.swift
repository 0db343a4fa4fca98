@testable import ImageModel

/// The text of a URL reads back as the same URL and holds only what may go over the wire;
/// references resolve to URLs that can be fetched. The first line of the input is the base.
enum URLTarget {
  static func check(_ bytes: [UInt8]) throws(FuzzFailure) {
    let lines = bytes.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    for line in lines { try checkText(line) }
    guard lines.count == 2 else { return }
    if let resolved = WebURL.resolve(lines[1], against: lines[0]) {
      try require(WebURL(resolved) != nil, "\(lines) resolves to \(resolved.debugDescription)")
      let again = WebURL.resolve(resolved, against: lines[0])
      try require(again == resolved, "\(resolved.debugDescription) resolves to \(again ?? "nil")")
    }
    if let base = WebURL(lines[0]), let resolved = base.resolving(lines[1]) {
      try checkText(resolved.text)
    }
  }

  private static func checkText(_ text: String) throws(FuzzFailure) {
    _ = S3Address(text)
    guard let url = WebURL(text) else { return }
    try require(url.scheme == "http" || url.scheme == "https", url.scheme)
    try require(
      !url.host.isEmpty && !url.host.utf8.contains { "/?#@\\ ".utf8.contains($0) }, url.host)
    try require((1...65_535).contains(url.port), "port \(url.port)")
    try require(
      url.target.hasPrefix("/") && url.target.utf8.allSatisfy { (0x21...0x7E).contains($0) },
      url.target.debugDescription)
    guard let again = WebURL(url.text) else {
      throw FuzzFailure(description: "\(url.text.debugDescription) cannot be read again")
    }
    try require(again.credentials == nil, "credentials in \(url.text.debugDescription)")
    try require(
      again.text == url.text && again.host == url.host && again.port == url.port
        && again.target == url.target && again.scheme == url.scheme,
      "\(text.debugDescription) reads as \(url), then \(again)")
  }
}
