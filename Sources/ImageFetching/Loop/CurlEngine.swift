import ImageModel
import LoadScheduling

/// Runs HTTP exchanges with libcurl on a dedicated thread.
///
/// One exchange is one request and one response; what follows a redirect or a failure is decided
/// elsewhere (``HTTPFetcher``). Connections are kept and shared by all exchanges of an engine.
final class CurlEngine: Sendable {
  struct Configuration: Sendable {
    var maximumTransfers = 256
    var maximumConnectionsPerHost: Int?
    var maximumIdleTime = Duration.seconds(118)
    var proxy: String?
    var certificates = TrustedCertificates()
    var userAgent = "imgcache"
    var connectTo: [String: String] = [:]
    var maximumByteRate: Int?
  }

  private let mailbox: CurlMailbox
  private let thread: OSThread

  init(_ configuration: Configuration = Configuration()) throws(ImageError) {
    let mailbox = CurlMailbox()
    self.mailbox = mailbox
    thread = try OSThread(name: "curl") { CurlLoop.run(configuration, mailbox) }
  }

  func stop() { mailbox.post(.stop) }

  /// Stops, and waits for the thread: a name resolution in progress may take seconds.
  func shutdown() async {
    stop()
    await thread.ended()
  }

  deinit { stop() }

  /// Makes one exchange, and returns how it ended, with what was not handed over.
  ///
  /// `receive` gets things in order, never two at a time; the transfer pauses when it falls behind.
  /// An error that it throws ends the exchange, as cancelling does, with outcome `cancelled`.
  func perform(
    _ request: TransferRequest, receive: (TransferEvent) async throws -> Void = { _ in }
  ) async throws -> TransferResult {
    let id = mailbox.makeID()
    guard let body = request.passage?.body else { return try await run(request, id, receive) }
    let mailbox = mailbox
    let (starting, started) = AsyncStream.makeStream(of: Void.self)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // A piece must not overtake the start.
        for await _ in starting {}
        do {
          while let piece = try await body() {
            guard await mailbox.upload(id, piece) else { return }
          }
          _ = await mailbox.upload(id, nil)
        } catch {
          mailbox.post(.cancel(id))
        }
      }
      defer { group.cancelAll() }
      return try await run(request, id, receive, posted: { started.finish() })
    }
  }

  private func run(
    _ request: TransferRequest, _ id: CurlMailbox.ID,
    _ receive: (TransferEvent) async throws -> Void, posted: () -> Void = {}
  ) async throws -> TransferResult {
    try await withTaskCancellationHandler {
      var event = await mailbox.start(request, id, posted: posted)
      while true {
        if case .finished(let result) = event { return result }
        do {
          try await receive(event)
        } catch {
          mailbox.post(.cancel(id))
          while true { if case .finished = await mailbox.next(id) { throw error } }
        }
        event = await mailbox.next(id)
      }
    } onCancel: {
      mailbox.post(.cancel(id))
    }
  }
}
