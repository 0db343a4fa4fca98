import HTTPListening
import ImageModel
import LoadScheduling
import NIOHTTP1

/// Answers requests by the routes.
struct ThumbnailResponder: RequestResponding {
  let routes: RouteTable
  /// Threads that may wait for a disk.
  let executor: BlockingExecutor
  let dates: DateField

  func respond(
    to head: HTTPRequestHead, _ body: RequestBody, _ writer: ResponseWriter
  ) async throws {
    let request = Request(head, body)
    var answer: Answer
    if let scope = ConnectionPresence.current?.scope {
      answer = await scope.run { await self.answer(request) }
    } else {
      answer = await self.answer(request)
    }
    answer.fields[.date] = dates.text
    try await answer.write(to: writer, executor)
  }

  /// The answer to a request, which may be a problem; work for a client that disconnects is
  /// cancelled.
  func answer(_ request: Request) async -> Answer {
    do {
      guard let presence = ConnectionPresence.current else {
        return try await routes.answer(request)
      }
      return try await presence.whilePresent { try await routes.answer(request) }
    } catch let problem as Problem {
      return problem.answer
    } catch let error as ImageError {
      return Problem(error).answer
    } catch is CancellationError {
      return Problem.busy.answer
    } catch {
      return Problem.failed.answer
    }
  }
}
