import TextEncodings

/// One event of an event stream (HTML Living Standard, server-sent events).
struct ServerSentEvent: Sendable, Hashable {
  private let name: String
  private let data: JSONLine

  /// What those who watch a refresh are told.
  init(_ event: DayRefreshes.Event) {
    switch event {
    case .progress(let progress):
      name = "progress"
      data = [
        "done": progress.done, "failed": progress.failed, "total": progress.total,
        "url": progress.url.map { $0 as any JSONValue } ?? JSONNull(),
      ]
    case .done(let progress):
      name = "done"
      data = [
        "cached": progress.cached, "downloaded": progress.downloaded, "failed": progress.failed,
        "images": progress.total, "revalidated": progress.revalidated,
      ]
    case .failed(let code, let message):
      name = "failed"
      data = ["code": code, "message": message]
    }
  }

  /// On the wire.
  var text: String { "event: \(name)\ndata: \(data)\n\n" }
}
