import TextEncodings

/// The text of a document in UTF-8, whatever its encoding, without a byte-order mark and without the
/// control characters that neither XML nor JSON has.
struct DocumentText: Sendable {
  private(set) var bytes: [UInt8]
  /// That the encoding is a guess.
  private(set) var warnings: [String] = []

  /// Decodes a document by its byte-order mark, else by the encoding that it declares, else by that of
  /// the response, else as UTF-8.
  ///
  /// An unknown encoding, or one that this machine does not have, is a warning; then the text is UTF-8,
  /// or windows-1252 where little of it would be.
  init(_ document: [UInt8], mediaType: String? = nil) {
    bytes = document
    if let (encoding, length) = Self.mark(of: document) {
      decode(document[length...], as: encoding)
    } else {
      let labels = [Self.declaration(in: document), mediaType.flatMap(Self.charset)]
        .compactMap(\.self)
      let encoding = labels.lazy.compactMap(TextEncoding.init).first
      if encoding == nil, let label = labels.first { warn(unreadable: label) }
      // What can be read so far is not in UTF-16.
      let isWide = [.utf16LittleEndian, .utf16BigEndian].contains(encoding)
      decode(document[...], as: isWide ? .utf8 : encoding ?? .utf8)
    }
    clean()
    dropPrelude()
  }

  private mutating func warn(unreadable label: String) {
    let label = String(label.prefix(40)).debugDescription
    warnings.append("the encoding \(label) is not known or not installed; it is read as UTF-8")
  }

  private mutating func decode(_ document: ArraySlice<UInt8>, as encoding: TextEncoding) {
    if encoding != .utf8 {
      if let (text, faultCount) = encoding.decoded(document) {
        bytes = text
        // What was converted to UTF-8 may still declare what it was.
        if faultCount == 0 || String(validating: document, as: UTF8.self) == nil { return }
      } else {
        warn(unreadable: encoding.name)
      }
    }
    bytes = Array(document)
    guard String(validating: document, as: UTF8.self) == nil else { return }
    let text = String(decoding: document, as: UTF8.self)
    var faultCount = 0
    for scalar in text.unicodeScalars where scalar.value >= 0x80 {
      faultCount += scalar == "\u{FFFD}" ? 1 : -1
    }
    bytes = Array(text.utf8)
    if faultCount > 0, let (text, _) = TextEncoding.windows1252.decoded(document) {
      bytes = text
      warnings.append("the text is not UTF-8 and is read as windows-1252")
    }
  }

  private static func mark(of bytes: [UInt8]) -> (TextEncoding, Int)? {
    let marks: [([UInt8], TextEncoding)] = [
      ([0xFF, 0xFE, 0, 0], .utf32LittleEndian), ([0, 0, 0xFE, 0xFF], .utf32BigEndian),
      ([0xEF, 0xBB, 0xBF], .utf8), ([0xFF, 0xFE], .utf16LittleEndian),
      ([0xFE, 0xFF], .utf16BigEndian),
    ]
    if let (mark, encoding) = marks.first(where: { bytes.starts(with: $0.0) }) {
      return (encoding, mark.count)
    }
    switch bytes.prefix(4).map({ $0 == 0 }) {
    case [false, true, false, true]: return (.utf16LittleEndian, 0)
    case [true, false, true, false]: return (.utf16BigEndian, 0)
    case [false, true, true, true]: return (.utf32LittleEndian, 0)
    case [true, true, true, false]: return (.utf32BigEndian, 0)
    default: return nil
    }
  }

  private static func declaration(in document: [UInt8]) -> String? {
    let start = String(decoding: document.prefix(4096), as: UTF8.self).trimmingWhiteSpace()
    guard let first = start.first, !"{[".contains(first) else { return nil }
    if BytesDescription.ofText(document) == "HTML" {
      let match = start.firstMatch(of: /(?i)<meta\s[^>]*?charset\s*=\s*["']?([^"'\s;\/>]+)/)
      return match.map { String($0.1) }
    }
    let match = start.firstMatch(of: /<\?xml[^>]*?encoding\s*=\s*["']([^"'>]+)["']/)
    return match.map { String($0.1) }
  }

  private static func charset(of mediaType: String) -> String? {
    mediaType.firstMatch(of: /(?i);\s*charset\s*=\s*["']?([^"'\s;]+)/).map { String($0.1) }
  }

  private static let starts = ["<?xml", "<rss", "<feed", "<rdf:RDF", "<opml"]

  /// Drops what precedes XML: white space, and messages of the program that writes it.
  private mutating func dropPrelude() {
    func begins(_ text: ArraySlice<UInt8>, _ starts: [String] = Self.starts) -> Bool {
      text.first == UInt8(ascii: "<") && starts.contains { text.starts(with: $0.utf8) }
    }
    let text = bytes.drop { $0 <= 0x20 }
    if begins(text, Self.starts + ["<!"]) {
      if text.startIndex > 0 { bytes = Array(text) }
    } else if let first = text.first, !"{[".utf8.contains(first),
      BytesDescription.ofText(bytes) != "HTML",
      let start = text.prefix(1 << 16).indices.first(where: { begins(text[$0...]) })
    {
      warnings.append("\(start) bytes before the XML are left out")
      bytes = Array(text[start...])
    }
  }

  private mutating func clean() {
    while bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    func isControl(_ byte: UInt8) -> Bool {
      byte < 0x20 && byte != 0x09 && byte != 0x0A && byte != 0x0D
    }
    if bytes.contains(where: isControl) { bytes.removeAll(where: isControl) }
    // U+FFFE and U+FFFF.
    for index in bytes.indices.dropFirst(2)
    where bytes[index] >= 0xBE && bytes[index - 1] == 0xBF && bytes[index - 2] == 0xEF {
      bytes[index] = 0xBD
    }
  }
}
