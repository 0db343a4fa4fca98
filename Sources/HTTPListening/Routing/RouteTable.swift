import HTTPListening
import HTTPTypes

/// The requests that a server answers, by path and method.
struct RouteTable: Sendable {
  /// Answers a request.
  typealias Handler = @Sendable (Request) async throws -> Answer

  private struct Action: Sendable {
    let method: HTTPRequest.Method
    /// Whether it exists only where there are admin keys, one of which it requires.
    let needsAdmin: Bool
    let handler: Handler
  }

  private let rules: RulesInForce
  /// By path; a step in braces stands for any one.
  private var routes: [(path: String, steps: [Substring], actions: [Action])] = []

  /// Creates a table without routes.
  init(rules: RulesInForce) { self.rules = rules }

  /// The paths, such as `/days/{day}`.
  var paths: [String] { routes.map(\.path) }

  /// Adds a resource that is read; `HEAD` gets the fields of `GET`.
  mutating func get(_ path: String, _ handler: @escaping Handler) {
    add(path, [.get, .head], needsAdmin: false, handler)
  }

  /// Adds a request that changes something.
  mutating func post(_ path: String, _ handler: @escaping Handler) {
    add(path, [.post], needsAdmin: false, handler)
  }

  /// Adds requests that remove something. They require an admin key and, as browsers send them, the
  /// same origin; without any admin key there are no such methods.
  mutating func remove(
    _ path: String, by methods: [HTTPRequest.Method] = [.delete, .purge],
    _ handler: @escaping Handler
  ) {
    add(path, methods, needsAdmin: true) { [rules] request in
      try SameOrigin.check(request.head)
      guard rules.current.admins?.admit(request.fields) == true else {
        throw Problem.adminKeyRequired
      }
      return try await handler(request)
    }
  }

  private mutating func add(
    _ path: String, _ methods: [HTTPRequest.Method], needsAdmin: Bool, _ handler: @escaping Handler
  ) {
    let actions = methods.map { Action(method: $0, needsAdmin: needsAdmin, handler: handler) }
    if let known = routes.firstIndex(where: { $0.path == path }) {
      routes[known].actions += actions
    } else {
      routes.append((path, path.split(separator: "/"), actions))
    }
  }

  /// Answers a request.
  ///
  /// - Throws: ``Problem`` 404 for a path without a route and 405 for another method, or the error of
  ///   the handler.
  func answer(_ request: Request) async throws -> Answer {
    let steps = request.steps
    guard let route = routes.first(where: { Self.matches(steps, $0.steps) }) else {
      throw Problem.notFound
    }
    let hasAdmins = rules.current.admins != nil
    let actions = route.actions.filter { hasAdmins || !$0.needsAdmin }
    guard let action = actions.first(where: { $0.method == request.method }) else {
      throw Problem.method(allowed: actions.map(\.method.rawValue).joined(separator: ", "))
    }
    return try await action.handler(request)
  }

  private static func matches(_ steps: [Substring], _ pattern: [Substring]) -> Bool {
    steps.count == pattern.count
      && zip(steps, pattern).allSatisfy { $1.hasPrefix("{") || $0 == $1 }
  }
}

/// Refuses state-changing requests that pages of other origins make (cross-site request forgery).
enum SameOrigin {
  /// - Throws: ``Problem`` 403 for a request of a page of another origin, by `Origin` or by
  ///   `Sec-Fetch-Site: cross-site`.
  static func check(_ request: HTTPRequest) throws(Problem) {
    let fields = request.headerFields
    let refusal = Problem(
      .forbidden, "other_origin", "Requests from pages of other origins are refused.")
    if let site = fields[.secFetchSite], site == "cross-site" || site == "same-site" {
      throw refusal
    }
    guard let origin = fields[.origin] else { return }
    guard let host = request.authority?.lowercased(),
      ["http://\(host)", "https://\(host)"].contains(origin.lowercased())
    else { throw refusal }
  }
}

extension HTTPRequest.Method {
  /// Removes what caches have of a resource, as in Varnish, Squid and nginx.
  static let purge = Self("PURGE") ?? .delete
}
