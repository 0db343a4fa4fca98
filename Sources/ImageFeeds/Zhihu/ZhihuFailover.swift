import ImagePipeline

/// What to try after a failure, and what to report when nothing is left; a value without I/O.
struct ZhihuFailover: Sendable {
  private var failures: [(base: String, error: ImageError)] = []

  /// What a failure leaves to be tried.
  enum Next {
    /// The same answer under the route's other name, or at the base's other root.
    case sameHost
    /// Another base.
    case nextBase
    /// Nothing: the failure is local.
    case nothing
  }

  /// Judges a failure, without noting it.
  static func next(after error: ImageError) -> Next {
    switch error.code {
    case .httpStatus:
      switch error.status {
      case 400, 404, 405, 410, 501: .sameHost
      default: .nextBase
      }
    case .notJSON, .notAFeed, .emptyBody, .notCached:
      .sameHost
    case .cacheFull, .diskFull, .cacheUnusable, .storeFailed, .outOfMemory:
      .nothing
    default:
      .nextBase
    }
  }

  /// Notes why a base failed. Of each base the first error is kept, unless it only said that a
  /// route does not exist.
  mutating func note(_ error: ImageError, from base: String) {
    if let last = failures.last, last.base == base {
      guard Self.saysLittle(last.error), !Self.saysLittle(error) else { return }
      failures.removeLast()
    }
    failures.append((base, error))
  }

  /// Whether an error only says that a route or its response does not exist.
  private static func saysLittle(_ error: ImageError) -> Bool {
    error.status == 404 || error.code == .notCached
  }

  /// The one error to report: that of the only base, or all of them in one line under the first
  /// one's code.
  func summary(of wanted: String) -> ImageError {
    guard let first = failures.first else {
      return ImageError(.dayNotFound, "no base URL of the API to ask for \(wanted)")
    }
    let story = failures.map { "\($0.base): \($0.error.message)" }.joined(separator: "; ")
    return first.error.withMessage("cannot get \(wanted) from \(story)")
  }
}
