import ImageModel

struct ZhihuFailover: Sendable {
  private var failures: [(base: String, error: ImageError)] = []

  enum Next {
    /// The other name of the route, or the other root of the base.
    case sameHost
    case nextBase
    /// Nothing: the failure is local.
    case nothing
  }

  static func next(after error: ImageError) -> Next {
    switch error.code {
    case .httpStatus: [400, 404, 405, 410, 501].contains(error.status) ? .sameHost : .nextBase
    case .notJSON, .notAFeed, .emptyBody, .notCached: .sameHost
    case .outOfMemory: .nothing
    case let code: code.isOfEnvironment ? .nothing : .nextBase
    }
  }

  /// Adds the failure of a base. The first error of each base is kept, unless it only means that a
  /// route does not exist.
  mutating func record(_ error: ImageError, from base: String) {
    if let last = failures.last, last.base == base {
      guard Self.isAbsence(last.error), !Self.isAbsence(error) else { return }
      failures.removeLast()
    }
    failures.append((base, error))
  }

  /// Whether an error only means that a route or its response does not exist.
  private static func isAbsence(_ error: ImageError) -> Bool {
    error.status == 404 || error.code == .notCached
  }

  /// Returns the error to report: all messages in one line, with the code of the first.
  func summary(of wanted: String) -> ImageError {
    guard let first = failures.first else {
      return ImageError(.dayNotFound, "no base URL of the API to ask for \(wanted)")
    }
    let story = failures.map { "\($0.base): \($0.error.message)" }.joined(separator: "; ")
    return first.error.withMessage("cannot get \(wanted) from \(story)")
  }
}
