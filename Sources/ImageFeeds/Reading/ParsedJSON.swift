import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A JSON text of any shape, for responses whose fields change.
enum ParsedJSON: Sendable, Hashable {
  case null
  case bool(Bool)
  case integer(Int64)
  case number(Double)
  case string(String)
  case array([ParsedJSON])
  case object([String: ParsedJSON])

  /// Parses a whole text. The parser of Foundation refuses more than 512 levels of nesting.
  ///
  /// Bytes that are not UTF-8 (a title in another encoding) become U+FFFD; the rest is read.
  init(parsing bytes: [UInt8]) throws(ImageError) {
    guard !bytes.allSatisfy({ $0 == 0x20 || (0x09...0x0D).contains($0) }) else {
      throw ImageError(.notJSON, "the response is empty, not JSON")
    }
    // The parser would refuse a string with invalid UTF-8.
    let isSound = String(validating: bytes, as: UTF8.self) != nil
    let text = isSound ? Data(bytes) : Data(String(decoding: bytes, as: UTF8.self).utf8)
    if let value = try? JSONDecoder().decode(ParsedJSON.self, from: text) {
      self = value
    } else {
      throw ImageError(.notJSON, "the response is \(BytesDescription.ofText(bytes)), not JSON")
    }
  }

  /// The value of a field; `nil` if this is not an object, or the field is missing or `null`.
  subscript(_ name: String) -> ParsedJSON? {
    guard case .object(let fields) = self, let value = fields[name], value != .null else {
      return nil
    }
    return value
  }

  var text: String? {
    if case .string(let text) = self, !text.isEmpty { text } else { nil }
  }

  var url: String? { text.flatMap { WebURL($0) == nil ? nil : $0 } }

  var elements: [ParsedJSON]? {
    if case .array(let elements) = self { elements } else { nil }
  }

  var isObject: Bool {
    if case .object = self { true } else { false }
  }

  var wholeNumber: Int? {
    switch self {
    case .integer(let value): Int(exactly: value)
    case .number(let value): Int(exactly: value)
    case .string(let text): Int(text)
    default: nil
    }
  }

  /// A number or a string as an identifier: `9722986`, `"9722986"` and `9722986.0` are the same.
  var identifier: String? {
    if let wholeNumber { return String(wholeNumber) }
    return text
  }

  var isTrue: Bool {
    switch self {
    case .bool(let value): value
    case .integer(let value): value == 1
    case .string(let text): text == "true" || text == "1"
    default: false
    }
  }
}

extension ParsedJSON: Decodable {
  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if let text = try? single.decode(String.self) {
      self = .string(text)
    } else if let fields = try? decoder.container(keyedBy: Name.self) {
      var values: [String: ParsedJSON] = [:]
      for name in fields.allKeys {
        values[name.stringValue] = try fields.decode(ParsedJSON.self, forKey: name)
      }
      self = .object(values)
    } else if var items = try? decoder.unkeyedContainer() {
      var values: [ParsedJSON] = []
      while !items.isAtEnd { values.append(try items.decode(ParsedJSON.self)) }
      self = .array(values)
    } else if let value = try? single.decode(Int64.self) {
      self = .integer(value)
    } else if let value = try? single.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? single.decode(Double.self) {
      self = .number(value)
    } else {
      self = .null
    }
  }
}

/// Describes an unexpected response in an error message.
enum BytesDescription {
  /// For example `HTML`, or `text that begins with "Too many requests"`.
  static func ofText(_ bytes: [UInt8]) -> String {
    if bytes.starts(with: [0x1F, 0x8B]) { return "a gzip file, which must be decompressed first" }
    let start = String(decoding: bytes.prefix(400), as: UTF8.self)
      .drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    let lower = start.lowercased()
    if ["<!doctype html", "<html", "<head"].contains(where: lower.hasPrefix) { return "HTML" }
    if ["<?xml", "<rss", "<feed"].contains(where: lower.hasPrefix) { return "XML" }
    if lower.hasPrefix("<") { return "markup" }
    if lower.hasPrefix("{") || lower.hasPrefix("[") { return "damaged or incomplete JSON" }
    if bytes.prefix(400).contains(where: { $0 < 0x09 || ($0 > 0x0D && $0 < 0x20) }) {
      return "binary data"
    }
    return "text that begins with \(String(start.prefix(32)).debugDescription)"
  }
}
