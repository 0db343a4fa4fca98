import HTTPListening
import NIOHTTP1

enum ThumbnailRoute: Int, ServerRoute {
  case thumb, image, info, days, purge, reader, operation, other

  static let sources: [ServerMetrics.Source] = [
    .memory, .disk, .shared, .miss, .stale, .placeholder,
  ]

  static func source(of cacheStatus: String) -> ServerMetrics.Source {
    if cacheStatus.hasSuffix("detail=memory") { return .memory }
    if cacheStatus.contains("detail=placeholder") { return .placeholder }
    if cacheStatus.contains("detail=shared") { return .shared }
    if cacheStatus.contains("fwd=stale") { return .stale }
    return cacheStatus.contains("fwd=") ? .miss : .disk
  }

  init(_ head: HTTPRequestHead) { self.init(target: head.uri) }

  init(target: String) {
    self =
      switch true {
      case target.hasPrefix("/thumb"): .thumb
      case target.hasPrefix("/image"): .image
      case target.hasPrefix("/info"): .info
      case target.hasPrefix("/days"): .days
      case target.hasPrefix("/purge"), target.hasPrefix("/tags/"): .purge
      case target == "/", target.hasPrefix("/?"), target.hasPrefix("/reader"): .reader
      case Self.operationPaths.contains(String(target.prefix { $0 != "?" })): .operation
      default: .other
      }
  }

  private static let operationPaths: Set = [
    "/healthz", "/readyz", "/metrics", "/stats", "/status", "/status.json", "/status/status.css",
    "/status/status.js",
  ]

  var isForOperators: Bool { self == .operation }
  var isContent: Bool { self == .thumb || self == .image }

  func template(of target: String) -> String? {
    let path = String(target.prefix { $0 != "?" })
    return switch self {
    case .thumb, .image, .info, .days: "/\(self)"
    case .purge: path == "/purge" ? "/purge" : "/tags"
    case .reader: path == "/" ? "/" : "/reader"
    case .operation: path
    case .other: nil
    }
  }
}
