#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A JSON object on one line, its keys in the order in which they are written.
public struct JSONLine: Sendable, Hashable, CustomStringConvertible, ExpressibleByDictionaryLiteral
{
  /// The text.
  public private(set) var description = ""

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

/// What a ``JSONLine`` can hold.
public protocol JSONValue {
  /// The value as JSON.
  var jsonText: String { get }
}

extension JSONLine: JSONValue {
  /// The value as JSON.
  public var jsonText: String { description }
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

/// A `null` that is written, where leaving the member out would say something else.
public struct JSONNull: JSONValue {
  /// Creates a `null`.
  public init() {}

  /// The value as JSON.
  public let jsonText = "null"
}

extension String: JSONValue {
  /// The value as JSON.
  public var jsonText: String {
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        result += "\\u" + Hex.encoded(scalar.value, digitCount: 4)
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
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
    return [UInt8](try encoder.encode(value))
  }
}
