/// The access log: one line a response.
public final class AccessLog: Sendable {
  /// A response.
  public struct Entry: Sendable {
    /// The method of the request.
    public var method: String
    /// Its target.
    public var target: String
    /// The status; 0 before the response.
    public var status: Int
    /// The bytes of the body.
    public var byteCount: Int
    /// The tier that it came from.
    public var tier: ServerMetrics.Tier
    /// The identifier of the trace that the request belongs to; `nil` for none.
    public var traceID: String?

    /// Creates an entry.
    public init(
      method: String, target: String, status: Int = 0, byteCount: Int = 0,
      tier: ServerMetrics.Tier = .none, traceID: String? = nil
    ) {
      self.method = method
      self.target = target
      self.status = status
      self.byteCount = byteCount
      self.tier = tier
      self.traceID = traceID
    }
  }

  private let write: @Sendable (String) -> Void
  private let clock: DateField
  private let shown: @Sendable (String) -> String

  /// Creates a log.
  ///
  /// - Parameters:
  ///   - shown: Returns a target without its secrets. Default: unchanged.
  ///   - write: Called with a line without its end, on the threads of connections, so it must not
  ///     block.
  public init(
    clock: DateField, shown: @escaping @Sendable (String) -> String = { $0 },
    write: @escaping @Sendable (String) -> Void
  ) {
    self.clock = clock
    self.shown = shown
    self.write = write
  }

  func note(_ entry: Entry, seconds: Double) {
    var entry = entry
    entry.target = shown(entry.target)
    write(Self.line(entry, seconds: seconds, date: clock.text))
  }

  /// `[date] "GET /thumb?…" 200 7421 0.000021 memory 4bf92f3577b34da6a3ce929d0e0e4736`: status, bytes
  /// of the body, seconds, tier, and the trace's identifier or `-`. Characters that could end the
  /// line or forge another are escaped.
  static func line(_ entry: Entry, seconds: Double, date: String) -> String {
    var safe = ""
    for scalar in "\(entry.method) \(entry.target)".unicodeScalars {
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
}
