public import HTTPTypes
import NIOCore

/// The requests that a server answers, by path and method.
public struct RouteTable: Sendable {
  /// Answers a request.
  public typealias Handler = @Sendable (RoutedRequest) async throws -> Answer

  private struct Action: Sendable {
    let method: HTTPRequest.Method
    /// Whether it exists only where there are admin keys, one of which it requires.
    let needsAdmin: Bool
    let handler: Handler
  }

  private let admins: @Sendable () -> [SigningKey]?
  /// By path; a step in braces stands for any one.
  private var routes: [(path: String, steps: [Substring], actions: [Action])] = []

  /// Creates a table without routes; the closure returns the admin keys, `nil` for none.
  public init(admins: @escaping @Sendable () -> [SigningKey]?) { self.admins = admins }

  /// The paths, such as `/days/{day}`.
  public var paths: [String] { routes.map(\.path) }

  /// Adds a resource that is read; `HEAD` gets the fields of `GET`.
  public mutating func get(_ path: String, _ handler: @escaping Handler) {
    add(path, [.get, .head], needsAdmin: false, handler)
  }

  /// Adds a resource for operators: without an admin key it is read only by a client that reached a
  /// listener for operators, a loopback address or a Unix socket.
  mutating func operate(_ path: String, _ handler: @escaping Handler) {
    get(path) { [admins] request in
      guard Self.admits(request.fields, admins(), ConnectionPresence.current) else {
        throw Problem.adminKeyRequired
      }
      return try await handler(request)
    }
  }

  static func admits(
    _ fields: HTTPFields, _ admins: [SigningKey]?, _ client: ConnectionPresence?
  ) -> Bool {
    client?.isTrusted == true || admins?.admit(fields) == true
  }

  /// Adds a request that changes something.
  public mutating func post(_ path: String, _ handler: @escaping Handler) {
    add(path, [.post], needsAdmin: false, handler)
  }

  /// Adds requests that remove something. They require an admin key and, as browsers send them, the
  /// same origin; without any admin key there are no such methods.
  public mutating func remove(
    _ path: String, by methods: [HTTPRequest.Method] = [.delete, .purge],
    _ handler: @escaping Handler
  ) {
    add(path, methods, needsAdmin: true) { [admins] request in
      try request.checkOrigin()
      guard admins()?.admit(request.fields) == true else {
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

  func answer(_ request: RoutedRequest) async throws -> Answer {
    let steps = request.steps
    guard let route = routes.first(where: { Self.matches(steps, $0.steps) }) else {
      throw Problem.notFound
    }
    let hasAdmins = admins() != nil
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

extension RoutedRequest {
  /// Refuses a state-changing request of a page of another origin, by `Sec-Fetch-Site` or else by
  /// `Origin` (cross-site request forgery).
  ///
  /// - Throws: ``Problem`` 403.
  public func checkOrigin() throws(Problem) {
    let refusal = Problem(
      .forbidden, "other_origin", "Requests from pages of other origins are refused.")
    // Set by the browser, which knows the origin also behind a proxy that asks for another host.
    if fields[.secFetchSite] == "same-origin" { return }
    if let site = fields[.secFetchSite], site == "cross-site" || site == "same-site" {
      throw refusal
    }
    guard let origin = fields[.origin] else { return }
    guard let host = head.authority?.lowercased(),
      ["http://\(host)", "https://\(host)"].contains(origin.lowercased())
    else { throw refusal }
  }
}

extension Problem {
  /// 404: there is no such path.
  public static let notFound = Problem(.notFound, "no_such_page", "Unknown path.")
  /// 403: only operators may do that.
  public static let adminKeyRequired = Problem(
    .forbidden, "admin_key_required", "Admin key required: Authorization: Bearer SECRET.")
  /// 500: nothing is known of the reason.
  public static let failed = Problem(.internalServerError, "failed", "The server failed.")

  static func method(allowed: String) -> Problem {
    Problem(
      .methodNotAllowed, "method_not_allowed", "This path does not allow the method.",
      allow: allowed)
  }

  /// The response that carries it.
  public var answer: Answer {
    var answer = Answer(status: status, fields: fields, body: .bytes(ByteBuffer(string: json)))
    answer.problem = code
    return answer
  }
}

extension HTTPRequest.Method {
  /// Removes what caches have of a resource, as in Varnish, Squid and nginx.
  public static let purge = Self("PURGE") ?? .delete
}
