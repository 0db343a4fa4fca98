/// The origins (schemes, hosts and ports) of the exchanges of an engine, and how many exchanges each
/// may have at once; belongs to the thread of the engine.
struct CurlOrigins {
  final class Origin {
    var isMultiplexed = false
    var exchangeCount = 0
  }

  /// Of those without exchanges, the number that is remembered.
  private static let maximumCount = 1024

  private let maximumConnections: Int?
  private let unlimited = Origin()
  private var known: [String: Origin] = [:]

  /// An origin over HTTP/1.1, or of which that is not known, has `maximumConnections` exchanges at
  /// most; `nil` for no limit.
  init(maximumConnections: Int?) { self.maximumConnections = maximumConnections }

  mutating func origin(of url: String) -> Origin {
    guard maximumConnections != nil else { return unlimited }
    let name = Self.name(in: url)
    if let known = known[name] { return known }
    if known.count >= Self.maximumCount { known = known.filter { $0.value.exchangeCount > 0 } }
    let origin = Origin()
    known[name] = origin
    return origin
  }

  func hasRoom(_ origin: Origin) -> Bool {
    guard let maximumConnections else { return true }
    return origin.isMultiplexed || origin.exchangeCount < maximumConnections
  }

  /// What is before the path of a URL that is ready for the wire.
  private static func name(in url: String) -> String {
    var slashCount = 0
    let name = url.utf8.prefix {
      slashCount += $0 == UInt8(ascii: "/") ? 1 : 0
      return slashCount < 3
    }
    return String(Substring(name))
  }
}
