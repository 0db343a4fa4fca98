#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One event of an event stream (HTML Living Standard, server-sent events).
struct ServerSentEvent: Sendable, Hashable {
  let name: String
  /// JSON on one line.
  let data: String

  /// What those who watch a refresh are told.
  init(_ event: DayRefreshes.Event) {
    switch event {
    case .progress(let progress):
      name = "progress"
      data = Self.json([
        "done": .number(progress.done), "total": .number(progress.total),
        "failed": .number(progress.failed), "url": progress.url.map { .text($0) } ?? .null,
      ])
    case .done(let progress):
      name = "done"
      data = Self.json([
        "images": .number(progress.total), "revalidated": .number(progress.revalidated),
        "downloaded": .number(progress.downloaded), "cached": .number(progress.cached),
        "failed": .number(progress.failed),
      ])
    case .failed(let code, let message):
      name = "failed"
      data = Self.json(["code": .text(code), "message": .text(message)])
    }
  }

  /// On the wire.
  var text: String { "event: \(name)\ndata: \(data)\n\n" }

  private enum Value: Encodable {
    case number(Int)
    case text(String)
    case null

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .number(let number): try container.encode(number)
      case .text(let text): try container.encode(text)
      case .null: try container.encodeNil()
      }
    }
  }

  private static func json(_ members: [String: Value]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(members)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
