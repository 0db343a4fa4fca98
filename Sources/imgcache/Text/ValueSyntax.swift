import CachePolicies
import DiskCaching
import ImageModel

/// The syntax of values, by the names that the help gives them: ArgumentParser does not state it.
enum ValueSyntax {
  /// The words that name a day by today's date.
  static let relativeDays = ["latest", "today", "yesterday"]

  /// The names of values that ArgumentParser does not state, as their options are hidden in the help
  /// of some commands.
  private static let hiddenValueNames = ["--max-size": "bytes", "--max-age": "duration"]
  private static let hiddenValues = [
    "--durability": DiskCache.Durability.allCases.map(\.rawValue),
    "--verify-reads": DiskCache.ReadVerification.allCases.map(\.rawValue),
    "--eviction": DiskEvictionPolicy.allValueStrings,
  ]

  /// Returns a message of ArgumentParser with the way out of an invalid value.
  static func explained(_ message: String) -> String {
    let message = listingValues(message)
    return message + (reason(for: message).map { ": " + $0 } ?? suggestion(for: message))
  }

  /// Returns a message about an invalid value with the values that are allowed, on one line.
  ///
  /// ArgumentParser writes more than six on lines of their own, and none of a hidden option.
  static func listingValues(_ message: String) -> String {
    let listed = message.matches(of: /\n  - (.+)/).map { String($0.1) }
    if let range = message.firstRange(of: /the following:\n(  - .+\n?)+$/) {
      return message[..<range.lowerBound] + quoted(listed)
    }
    guard let match = message.wholeMatch(of: /The value '.*' is invalid for '(--[a-z-]+)'/),
      let values = hiddenValues[String(match.1)]
    else { return message }
    return "\(message). Please provide one of \(quoted(values))"
  }

  private static func quoted(_ values: [String]) -> String {
    let names = values.map { "'\($0)'" }
    return names.dropLast().joined(separator: ", ") + " and \(names.last ?? "")."
  }

  /// Returns the reason for a message about an invalid value, unless the message states one.
  ///
  /// - Parameter message: ArgumentParser's: `The value '5x' is invalid for '--max-size <bytes>'`.
  static func reason(for message: String) -> String? {
    guard
      let match = message.wholeMatch(
        of: /The value '(.*)' is invalid for '([^ '<>]*) ?(?:<([^<>]+)>)?'/)
    else { return nil }
    let value = String(match.1)
    switch match.3.map(String.init) ?? hiddenValueNames[String(match.2)] {
    case "duration":
      do throws(ImageError) {
        _ = try TimeQuantity.parse(value)
        return nil
      } catch {
        return error.message
      }
    case "bytes": return "write a number of bytes below 8 EiB: 500000, 64MiB or 2GB"
    case "n": return "write a whole number"
    case "WxH": return "write width and height up to 65535: 200x200, or 640x0 if one is free"
    case "WxH[:FIT]":
      return "write width and height up to 65535, and fit: 200x200:cover, or 640x0:inside"
    case "1-100|lossless": return "write a whole number from 1 to 100, or lossless"
    case "COLSxROWS": return "write columns and rows: 80x24"
    case "RRGGBB": return "write six hexadecimal digits: ffffff"
    case "X,Y|auto": return "write two shares from 0 to 1, such as 0.5,0.3, or auto"
    case "host:port": return "write an address and a port: 127.0.0.1:8780"
    case "host:port|unix:path": return "write 127.0.0.1:8780 or unix:/run/imgcache.sock"
    default: return nil
    }
  }

  /// Returns the end of a message about a misspelt word: ` Did you mean 'cover'?`, or an empty text.
  ///
  /// - Parameter message: One that lists the values, or one about a day.
  static func suggestion(for message: String) -> String {
    guard
      let match = message.prefixMatch(
        of: /The value '([^']*)' is invalid for '[^<>']*(?:<([^<>]+)>)?'/)
    else { return "" }
    let listed = message[match.range.upperBound...].matches(of: /'([^']+)'/).map { String($0.1) }
    let values = match.2?.contains("day") == true ? relativeDays : listed
    guard let near = NearName.of(match.1.lowercased(), among: values) else { return "" }
    return message.hasSuffix(".") ? " Did you mean '\(near)'?" : "; did you mean '\(near)'?"
  }
}
