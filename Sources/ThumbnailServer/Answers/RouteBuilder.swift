import HTTPListening
import HTTPTypes
import Hummingbird
import ImageModel
import LoadScheduling

/// The context of a request on its way through the routes.
struct ServerContext: RequestContext {
  var coreContext: CoreRequestContextStorage

  init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
  }
}

/// Adds routes to a router, and makes responses of what their handlers return or throw.
struct RouteBuilder: Sendable {
  let executor: BlockingExecutor
  let rules: RulesInForce

  /// Adds a resource that is read; `HEAD` gets the fields of `GET`.
  ///
  /// - Parameter others: Methods of the path that have separate routes.
  func get(
    _ path: RouterPath, _ router: Router<ServerContext>, others: [HTTPRequest.Method] = [],
    _ answer: @escaping @Sendable (Request) async throws -> Answer
  ) {
    for method in [HTTPRequest.Method.get, .head] {
      router.on(path, method: method) { request, _ in
        try await respond(to: request) { try await answer(request) }
      }
    }
    refuse(path, router, allowed: [.get, .head], others: others)
  }

  /// Answers methods other than the allowed ones with 405.
  ///
  /// - Parameter others: Methods that have separate routes; they remove the resource at the path,
  ///   and are allowed if there are admin keys.
  func refuse(
    _ path: RouterPath, _ router: Router<ServerContext>, allowed: [HTTPRequest.Method],
    others: [HTTPRequest.Method] = []
  ) {
    for method in Self.methods where !allowed.contains(method) && !others.contains(method) {
      router.on(path, method: method) { request, _ in
        let methods = rules.current.admins == nil ? allowed : allowed + others
        let names = methods.map(\.rawValue).joined(separator: ", ")
        return respond(to: request, Problem.method(allowed: names).answer)
      }
    }
  }

  /// Returns a request that the routes can match: a method without routes is replaced by one that
  /// no path allows, so that the response is 405 and not 404.
  static func routable(_ request: Request) -> Request {
    if methods.contains(request.method) { return request }
    var head = request.head
    head.method = .trace
    return Request(head: head, body: request.body)
  }

  /// Answers every path without a route, for any method.
  func refuseOthers(_ router: Router<ServerContext>) {
    for method in Self.methods {
      router.on("**", method: method) { request, _ in
        respond(to: request, Problem.notFound.answer)
      }
    }
  }

  /// Makes the response; work for a client that disconnects is cancelled.
  func respond(
    to request: Request, _ make: @escaping @Sendable () async throws -> Answer
  ) async throws -> Response {
    do {
      guard let presence = ClientPresence.current else {
        return respond(to: request, try await make())
      }
      return respond(to: request, try await presence.connection.whilePresent(make))
    } catch let problem as Problem {
      return respond(to: request, problem.answer)
    } catch let error as ImageError {
      return respond(to: request, Problem(error).answer)
    } catch is CancellationError {
      return respond(to: request, Problem.busy.answer)
    }
  }

  /// Makes the response of an answer.
  func respond(to request: Request, _ answer: Answer) -> Response {
    answer.response(isHead: request.method == .head, executor: executor)
  }

  /// The methods that remove what a path names from the cache.
  static let removing: [HTTPRequest.Method] = [.delete, .purge]

  private static let methods: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .delete, .options, .patch, .trace, .connect, .purge,
  ]
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
