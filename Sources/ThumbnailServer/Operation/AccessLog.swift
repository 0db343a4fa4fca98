import HTTPListening
import ImageModel
import ImagePipeline

/// The access log: one line a response.
final class AccessLog: Sendable {
  /// A response.
  struct Entry: Sendable {
    var method: String
    var target: String
    var status = 0
    var byteCount = 0
    var tier = ServerMetrics.Tier.none
    /// The identifier of the trace that the request belongs to; `nil` for none.
    var traceID: String?
  }

  private let write: @Sendable (String) -> Void
  private let clock: DateField

  /// - Parameter write: Called with a line without its end, on the threads of connections, so it
  ///   must not block.
  init(clock: DateField, write: @escaping @Sendable (String) -> Void) {
    self.clock = clock
    self.write = write
  }

  func note(_ entry: Entry, seconds: Double) {
    write(Self.line(entry, seconds: seconds, date: clock.text))
  }

  /// `[date] "GET /thumb?…" 200 7421 0.000021 memory 4bf92f3577b34da6a3ce929d0e0e4736`: status, bytes
  /// of the body, seconds, tier, and the trace's identifier or `-`. Characters that could end the line or forge
  /// another are escaped, and signatures are left out.
  static func line(_ entry: Entry, seconds: Double, date: String) -> String {
    let target = Self.withoutSignature(entry.target)
    var safe = ""
    for scalar in "\(entry.method) \(target)".unicodeScalars {
      switch scalar {
      case "\"", "\\": safe += "\\\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0x7F || scalar.value > 0x7E:
        safe += "\\u{\(String(scalar.value, radix: 16))}"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    let micro = (seconds * 1e6).rounded() / 1e6
    return "[\(date)] \"\(safe)\" \(entry.status) \(entry.byteCount) \(micro) \(entry.tier) "
      + (entry.traceID ?? "-")
  }

  /// A target with `***` for the value of `sig`, however the key is percent-encoded, and for what
  /// follows `sig=` in the query of another parameter's URL, which loses its user and password.
  private static func withoutSignature(_ target: String) -> String {
    guard let mark = target.firstIndex(of: "?") else { return target }
    let pairs = target[target.index(after: mark)...]
      .split(separator: "&", omittingEmptySubsequences: false)
      .map { pair -> String in
        let key = pair.prefix { $0 != "=" }
        if QueryPairs.decoded(key) == "sig" { return key + "=***" }
        guard let named = QueryPairs.decoded(pair.dropFirst(key.count + 1)) else {
          return String(pair)
        }
        let value = WebURL.withoutUserinfo(named)
        guard let nested = value.firstRange(of: "?sig=") ?? value.firstRange(of: "&sig=") else {
          return value == named ? String(pair) : "\(key)=\(QueryPairs.encoded(value))"
        }
        return "\(key)=\(QueryPairs.encoded(String(value[..<nested.upperBound])))***"
      }
    return target[...mark] + pairs.joined(separator: "&")
  }
}
