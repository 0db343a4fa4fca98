import ArgumentParser
import CachingProxy
import HTTPTypes
import ImageModel

struct RuleOptions: ParsableArguments {
  @Option(
    help: .value(
      "pattern: key=value ...",
      "Treat requests for these paths so; the first rule that matches counts.",
      """
      For example '/api/**: pass' or '/assets/*: ttl=1d ignore-query=utm_*,fbclid'; repeat the option for more. * is any text without a slash, ** any text, /** at the end also none. \
      Where a response names none: ttl=DURATION (of a success or a permanent redirect), stale-while-revalidate=DURATION, stale-if-error=DURATION. \
      ignore-query=NAMES: parameters that do not distinguish responses. pass: from the origin each time, and not stored.
      """))
  var rule: [String] = []

  @Option(
    help: .value(
      "names", "Fields that take the place of Cache-Control (RFC 9213), in this order.",
      "Commas separate them; the first that a response has counts. Default: CDN-Cache-Control; none for no field."
    ))
  var targeted: String?

  func rules() throws(ImageError) -> [ProxyRule] { try rule.map(Self.parse) }

  func targetedFields() throws(ImageError) -> [HTTPField.Name]? {
    guard let targeted else { return nil }
    var fields: [HTTPField.Name] = []
    if targeted == "none" { return [] }
    for text in targeted.split(separator: ",", omittingEmptySubsequences: false) {
      guard let name = HTTPField.Name(String(text.drop { $0 == " " })), !fields.contains(name),
        name != .cacheControl, name != .expires
      else {
        throw ImageError.misuse("--targeted: \"\(text)\" is not the name of a targeted field")
      }
      fields.append(name)
    }
    return fields
  }

  private static func parse(_ text: String) throws(ImageError) -> ProxyRule {
    guard let colon = text.firstRange(of: ": ") else {
      throw malformed(text, "a colon and a space follow the pattern")
    }
    var rule = ProxyRule(pattern: String(text[..<colon.lowerBound]))
    guard rule.pattern.hasPrefix("/") || rule.pattern.hasPrefix("*") else {
      throw malformed(text, "a pattern begins with / or *")
    }
    guard !rule.pattern.contains("?") else {
      throw malformed(text, "a pattern is of the path alone")
    }
    var known: Set<Substring> = []
    for word in text[colon.upperBound...].split(separator: " ") {
      let parts = word.split(separator: "=", maxSplits: 1)
      let value = parts.count == 2 ? String(parts[1]) : ""
      guard known.insert(parts.first ?? "").inserted else {
        throw malformed(text, "\"\(word)\" repeats a key")
      }
      switch parts.first {
      case "pass" where parts.count == 1: rule.isPassed = true
      case "ttl": rule.lifetime = try time(value, text)
      case "stale-while-revalidate": rule.staleWhileRevalidate = try time(value, text)
      case "stale-if-error": rule.staleIfError = try time(value, text)
      case "ignore-query":
        rule.ignoredParameters = value.split(separator: ",").map(String.init)
        guard !rule.ignoredParameters.isEmpty else {
          throw malformed(text, "ignore-query names nothing")
        }
      default:
        throw malformed(
          text,
          "\"\(word)\" is none of ttl=, stale-while-revalidate=, stale-if-error=, ignore-query=, pass"
        )
      }
    }
    guard !known.isEmpty else { throw malformed(text, "it says nothing") }
    guard !rule.isPassed || known.count == 1 else {
      throw malformed(text, "pass goes with nothing else")
    }
    return rule
  }

  private static func time(_ value: String, _ text: String) throws(ImageError) -> Duration {
    let time = try ImageError.misuse(about: "--rule \"\(text)\"") { () throws(ImageError) in
      try TimeQuantity.parse(value).duration
    }
    guard time.components.attoseconds == 0 else { throw malformed(text, "a time is whole seconds") }
    return time
  }

  private static func malformed(_ text: String, _ reason: String) -> ImageError {
    ImageError.misuse("--rule \"\(text)\": \(reason)")
  }
}
