import HTTPTypes
import Hummingbird
import ImagePipeline

/// Which path is answered by whom.
struct ServerRoutes: Sendable {
  let pictures: PictureAnswers
  let days: DayRoutes
  let reader: ReaderRoutes
  let operation: OperationRoutes
  let executor: BlockingExecutor

  /// All of them.
  func router() -> Router<ServerContext> {
    let router = Router(context: ServerContext.self)
    get("/thumb", router) { try await pictures.answer(.thumbnail, $0.head) }
    get("/image", router) { try await pictures.answer(.original, $0.head) }
    days.add(to: self, router)
    reader.add(to: self, router)
    operation.add(to: self, router)
    // What no route knows, whatever its method.
    for method in Self.methods {
      router.on("**", method: method) { request, _ in
        respond(to: request, Problem.notFound.answer)
      }
    }
    return router
  }

  /// Adds a page that is read; `HEAD` gets the fields of `GET`.
  func get(
    _ path: RouterPath, _ router: Router<ServerContext>,
    _ answer: @escaping @Sendable (Request) async throws -> Answer
  ) {
    for method in [HTTPRequest.Method.get, .head] {
      router.on(path, method: method) { request, _ in
        try await respond(to: request) { try await answer(request) }
      }
    }
    refuse(path, router, allowed: [.get, .head])
  }

  /// Answers other methods than the allowed ones with 405.
  func refuse(
    _ path: RouterPath, _ router: Router<ServerContext>, allowed: [HTTPRequest.Method]
  ) {
    let names = allowed.map(\.rawValue).joined(separator: ", ")
    for method in Self.methods where !allowed.contains(method) {
      router.on(path, method: method) { request, _ in
        respond(to: request, Problem.method(allowed: names).answer)
      }
    }
  }

  /// Makes the answer; work for a client that leaves is cancelled.
  func respond(
    to request: Request, _ make: @escaping @Sendable () async throws -> Answer
  ) async throws -> Response {
    do {
      guard let presence = ClientPresence.current else {
        return respond(to: request, try await make())
      }
      return respond(to: request, try await presence.whilePresent(make))
    } catch let problem as Problem {
      return respond(to: request, problem.answer)
    } catch let error as ImageError {
      return respond(to: request, Problem(error).answer)
    } catch is CancellationError {
      return respond(to: request, Problem.busy.answer)
    }
  }

  private func respond(to request: Request, _ answer: Answer) -> Response {
    answer.response(isHead: request.method == .head, executor: executor)
  }

  private static let methods: [HTTPRequest.Method] = [
    .get, .head, .post, .put, .delete, .options, .patch, .trace, .connect,
  ]
}
