#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif

/// A JSON object on one line, its keys in the order in which they are written.
public struct JSONLine: Sendable, Hashable, CustomStringConvertible, JSONValue,
  ExpressibleByDictionaryLiteral
{
  /// The text.
  public private(set) var description = ""
  /// The value as JSON.
  public var jsonText: String { description }

  /// Creates an object; members whose value is `nil` are left out.
  public init(dictionaryLiteral members: (String, (any JSONValue)?)...) {
    self.init(members: members)
  }

  /// Creates an object; members whose value is `nil` are left out.
  public init(members: [(String, (any JSONValue)?)]) {
    description = "{"
    for (key, value) in members {
      guard let value else { continue }
      if description.utf8.count > 1 { description += "," }
      description += key.jsonText + ":" + value.jsonText
    }
    description += "}"
  }
}

/// A value that a ``JSONLine`` can hold.
public protocol JSONValue {
  /// The value as JSON.
  var jsonText: String { get }
}

extension Int: JSONValue {
  /// The value as JSON.
  public var jsonText: String { "\(self)" }
}

extension Bool: JSONValue {
  /// The value as JSON.
  public var jsonText: String { self ? "true" : "false" }
}

extension Double: JSONValue {
  /// The value as JSON.
  public var jsonText: String { isFinite ? "\(self)" : "null" }
}

extension Array: JSONValue where Element: JSONValue {
  /// The value as JSON.
  public var jsonText: String { "[" + map(\.jsonText).joined(separator: ",") + "]" }
}

/// A `null` that is written, where omitting the member would have another meaning.
public struct JSONNull: JSONValue {
  /// Creates a `null`.
  public init() {}

  /// The value as JSON.
  public let jsonText = "null"
}

extension String: JSONValue {
  /// The value as JSON.
  public var jsonText: String {
    var text: [UInt8] = [UInt8(ascii: "\"")]
    text.reserveCapacity(utf8.count + 2)
    for byte in utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
      case UInt8(ascii: "\n"): text += Array("\\n".utf8)
      case UInt8(ascii: "\r"): text += Array("\\r".utf8)
      case UInt8(ascii: "\t"): text += Array("\\t".utf8)
      case 0..<0x20: text += Array("\\u\(Hex.encoded(byte, digitCount: 4))".utf8)
      default: text.append(byte)
      }
    }
    text.append(UInt8(ascii: "\""))
    return String(decoding: JSONText.escapingControls(text), as: UTF8.self)
  }
}

/// Larger JSON texts, from `Encodable` values.
public enum JSONText {
  /// Returns a value as JSON: keys sorted, so that equal values give equal bytes, and slashes as
  /// they are.
  ///
  /// - Parameter inSnakeCase: Whether names are written in snake case. Default: false.
  /// - Throws: `EncodingError`; never for values made of strings, integers and finite numbers.
  public static func encoded(
    _ value: some Encodable, inSnakeCase: Bool = false
  ) throws -> [UInt8] {
    let encoder = JSONEncoder()
    if inSnakeCase { encoder.keyEncodingStrategy = .convertToSnakeCase }
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return escapingControls([UInt8](try encoder.encode(value)))
  }

  /// Writes the controls that are in a JSON text, all of them in strings, as `\u` escapes: the value
  /// is the same, and a terminal that shows the text obeys none.
  static func escapingControls(_ text: [UInt8]) -> [UInt8] {
    // DEL, and the first bytes of all others.
    guard text.contains(where: { [0x7F, 0xC2, 0xD8, 0xE2].contains($0) }) else { return text }
    var result: [UInt8] = []
    result.reserveCapacity(text.count)
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      if scalar.value >= 0x7F, scalar.isControl {
        result += "\\u\(Hex.encoded(scalar.value, digitCount: 4))".utf8
      } else {
        result += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
    return result
  }
}
