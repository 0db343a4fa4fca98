/// What an unexpected answer looks like, in a few words for an error message.
enum BytesDescription {
  /// For example `HTML`, or `text that begins with "Too many requests"`.
  static func ofText(_ bytes: [UInt8]) -> String {
    let start = String(decoding: bytes.prefix(400), as: UTF8.self)
      .drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    let lower = start.lowercased()
    if lower.hasPrefix("<!doctype html") || lower.hasPrefix("<html") || lower.hasPrefix("<head") {
      return "HTML"
    }
    if lower.hasPrefix("<?xml") || lower.hasPrefix("<rss") || lower.hasPrefix("<feed") {
      return "XML"
    }
    if lower.hasPrefix("<") { return "markup" }
    if lower.hasPrefix("{") || lower.hasPrefix("[") { return "damaged or incomplete JSON" }
    if bytes.prefix(400).contains(where: { $0 < 0x09 || ($0 > 0x0D && $0 < 0x20) }) {
      return "binary data"
    }
    return "text that begins with \(String(start.prefix(32)).debugDescription)"
  }
}
