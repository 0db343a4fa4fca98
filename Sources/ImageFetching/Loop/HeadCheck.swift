import ImageModel

/// Decides whether the head of a response can be read in one way only (RFC 9112 §5 and §6).
///
/// libcurl frames the body by its parsing of the fields, line by line, which is lenient: it reads
/// `3 4` as a length of 3, the last of several lengths counts, and a folded or oddly spaced field
/// is another one. Anything that libcurl might read differently from this program, or from the
/// recipient of a forwarded response, is an error.
enum HeadCheck {
  static let maximumFieldCount = 1000

  /// What is wrong with a head, in ASCII and on one line. Folded lines, and white space before a
  /// colon, are accepted where libcurl does not interpret the field: ``HeadParser`` removes both.
  static func fault(in head: UnsafeBufferPointer<UInt8>) -> String? {
    var framing = Framing()
    var isFirst = true
    var fieldCount = 0
    var foldable: Bool?
    var start = head.startIndex
    while start < head.endIndex {
      let end = head[start...].firstIndex(of: UInt8(ascii: "\n")) ?? head.endIndex
      var line = head[start..<end]
      start = end + 1
      if line.last == UInt8(ascii: "\r") { line.removeLast() }
      if line.contains(where: { $0 == 0 || $0 == UInt8(ascii: "\r") }) {
        return "malformed header line \(quoted(line))"
      }
      if isFirst {
        isFirst = false
        framing.isInterim = isInterim(line)
        continue
      }
      if line.isEmpty { return start < head.endIndex ? "malformed header" : framing.fault }
      if HTTPText.isBlank(line[line.startIndex]) {
        guard foldable == true else { return "malformed folded header line \(quoted(line))" }
        continue
      }
      guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
        return "malformed header line \(quoted(line))"
      }
      let name = HTTPText.withoutBlanks(line[..<colon])
      guard isToken(name) else { return "malformed header line \(quoted(line))" }
      let isFraming = Framing.concerns(name)
      if isFraming, name.endIndex != colon { return "malformed header line \(quoted(line))" }
      fieldCount += 1
      if fieldCount > maximumFieldCount { return "more than \(maximumFieldCount) header fields" }
      foldable = !isFraming
      if isFraming, let fault = framing.receive(name, HTTPText.withoutBlanks(line[(colon + 1)...]))
      {
        return fault
      }
    }
    return "incomplete header"
  }

  private struct Framing {
    /// A 1xx has no body, but libcurl frames that of the final response by its fields.
    var isInterim = false
    private var length: Int?
    private var codingCount = 0

    /// Whether a `Transfer-Encoding` is unambiguous about the body: chunks, or, with one unknown
    /// coding, all bytes up to the end of the connection (RFC 9112 §6.3). A coding that some
    /// recipient would decode, or take for chunks, was not requested.
    private static func isDefinite(_ value: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
      if HeadCheck.isEqual(value, "chunked") { return true }
      let name = String(decoding: value, as: UTF8.self).lowercased()
      return HeadCheck.isToken(value) && !known.contains { name.contains($0) }
    }

    private static let known = ["chunked", "gzip", "deflate", "compress", "br", "zstd", "identity"]

    static func concerns(_ name: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
      HeadCheck.isEqual(name, "content-length") || HeadCheck.isEqual(name, "transfer-encoding")
    }

    var fault: String? {
      codingCount > 1 ? "repeated Transfer-Encoding" : nil
    }

    mutating func receive(
      _ name: Slice<UnsafeBufferPointer<UInt8>>, _ value: Slice<UnsafeBufferPointer<UInt8>>
    ) -> String? {
      if isInterim { return "a 1xx response with Content-Length or Transfer-Encoding" }
      guard HeadCheck.isEqual(name, "content-length") else {
        codingCount += 1
        return Self.isDefinite(value)
          ? nil : "unsupported Transfer-Encoding \(HeadCheck.quoted(value))"
      }
      for member in value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        let text = String(decoding: HTTPText.withoutBlanks(member), as: UTF8.self)
        guard let number = HTTPText.number(text) else {
          return "malformed Content-Length \(HeadCheck.quoted(value))"
        }
        if let length, length != number {
          return "conflicting Content-Length values \(length) and \(number)"
        }
        length = number
      }
      return nil
    }
  }

  private static func isInterim(_ statusLine: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
    let words = statusLine.split(separator: UInt8(ascii: " "), maxSplits: 1)
    return words.count > 1 && words[1].first { !HTTPText.isBlank($0) } == UInt8(ascii: "1")
  }

  /// Whether bytes are a token (RFC 9110 §5.6.2).
  fileprivate static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty
      && bytes.allSatisfy(HTTPText.isOfToken)
  }

  private static func isEqual(_ bytes: some Collection<UInt8>, _ lowercased: StaticString) -> Bool {
    bytes.count == lowercased.utf8CodeUnitCount
      && zip(bytes, UnsafeBufferPointer(start: lowercased.utf8Start, count: bytes.count))
        .allSatisfy { byte, wanted in
          (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
            ? byte | 0x20 == wanted : byte == wanted
        }
  }

  /// The beginning of a line for an error message: printable ASCII alone.
  private static func quoted(_ bytes: some Collection<UInt8>) -> String {
    let shown = bytes.prefix(60).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    return "\"\(String(decoding: shown, as: UTF8.self))\(bytes.count > 60 ? "..." : "")\""
  }
}
