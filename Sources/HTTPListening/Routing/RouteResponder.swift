import HTTPTypes
public import NIOHTTP1

/// Answers requests by routes.
public struct RouteResponder: RequestResponding {
  private let routes: RouteTable
  private let front: ServerFront
  private let problem: @Sendable (any Error) -> Problem?

  /// `problem` returns what an error of a handler is to a client; `nil` for one of which nothing is
  /// known.
  public init(
    _ routes: RouteTable, _ front: ServerFront, problem: @escaping @Sendable (any Error) -> Problem?
  ) {
    self.routes = routes
    self.front = front
    self.problem = problem
  }

  /// Answers a request.
  public func respond(
    to head: HTTPRequestHead, _ body: RequestBody, _ writer: ResponseWriter
  ) async throws {
    let (request, client) = (RoutedRequest(head, body), ConnectionPresence.current)
    var answer: Answer
    if let trace = client?.trace {
      answer = await trace.run { await self.answer(request) }
    } else {
      answer = await self.answer(request)
    }
    answer.fields[.date] = front.dates.text
    front.addCrossOrigin(to: &answer.fields, head)
    if let code = answer.problem { client?.record(problem: code) }
    try await answer.write(to: writer)
  }

  /// The answer to a request, which may be a problem; work for a client that left is cancelled.
  func answer(_ request: RoutedRequest) async -> Answer {
    if let fields = front.crossOrigin?.preflight(request.method, request.fields) {
      return Answer(status: .noContent, fields: fields)
    }
    do {
      guard let presence = ConnectionPresence.current else {
        return try await routes.answer(request)
      }
      return try await presence.whilePresent { try await routes.answer(request) }
    } catch let problem as Problem {
      return problem.answer
    } catch is CancellationError {
      return Problem.busy.answer
    } catch {
      return (problem(error) ?? .failed).answer
    }
  }
}
