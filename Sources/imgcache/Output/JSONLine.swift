/// One line of JSON whose keys keep the order they are written in.
struct JSONLine: CustomStringConvertible, ExpressibleByDictionaryLiteral {
  private(set) var description = ""

  /// Members whose value is `nil` are left out.
  init(dictionaryLiteral members: (String, (any JSONValue)?)...) {
    self.init(members: members)
  }

  /// The same from a list.
  init(members: [(String, (any JSONValue)?)]) {
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
protocol JSONValue {
  var jsonText: String { get }
}

extension JSONLine: JSONValue {
  var jsonText: String { description }
}

extension Int: JSONValue {
  var jsonText: String { "\(self)" }
}

extension Bool: JSONValue {
  var jsonText: String { self ? "true" : "false" }
}

extension Double: JSONValue {
  var jsonText: String { isFinite ? "\(self)" : "null" }
}

extension Array: JSONValue where Element: JSONValue {
  var jsonText: String { "[" + map(\.jsonText).joined(separator: ",") + "]" }
}

/// A `null` that is written, where a missing key would be the wrong word.
struct JSONNull: JSONValue {
  let jsonText = "null"
}

extension String: JSONValue {
  var jsonText: String {
    var result = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F:
        let hex = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
