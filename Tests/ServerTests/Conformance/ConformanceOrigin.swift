import Foundation

@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport

/// The origin of one case: answers the numbered request as the script says, and records
/// what it received.
final class ConformanceOrigin: Sendable {
  /// A request as received, and the fields that were sent back, to be compared.
  struct Seen: Sendable {
    let number: Int
    let request: LoopbackRequest
    let sent: [(name: String, value: String)]
  }

  /// The body of responses that have none in the script.
  static let text = "the body of the case"
  let path = "/test/case"
  private let seen: Locked<[Seen]>
  private let clock: ManualClock
  private let server: LoopbackServer

  init(_ test: ConformanceCase, clock: ManualClock) throws {
    let seen = Locked<[Seen]>([])
    self.seen = seen
    self.clock = clock
    let path = path
    server = try LoopbackServer(rawHandler: { request, connection in
      let count = seen.withLock { $0.count } + 1
      let number = request["req-num"].flatMap { Int($0) } ?? count
      guard test.steps.indices.contains(number - 1) else { return false }
      let script = Script(
        steps: test.steps, number: number, count: count, now: clock.now, path: path)
      let answer = script.answer(to: request)
      seen.withLock { $0.append(Seen(number: number, request: request, sent: answer.compared)) }
      if script.step.hangsUp { return false }
      return connection.send(answer.wire) && !answer.closes
    })
  }

  var url: String { server.origin }
  var requests: [Seen] { seen.withLock { $0 } }
  func stop() { server.stop() }

  /// A line with its dates and locations filled in.
  func filled(_ line: String, at now: Date) -> String { Script.filled(line, at: now, path: path) }
}

/// A scripted origin response.
private struct Script {
  let steps: [ConformanceStep]
  let number: Int
  let count: Int
  let now: Date
  let path: String

  var step: ConformanceStep { steps[number - 1] }

  func answer(
    to request: LoopbackRequest
  ) -> (wire: [UInt8], compared: [(name: String, value: String)], closes: Bool) {
    var text = ""
    for (status, fields) in step.interim {
      text += "HTTP/1.1 \(status) Interim\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
    }
    let status = status(for: request)
    text += "HTTP/1.1 \(status) Scripted\r\nServer-Now: \(now.timeIntervalSince1970)\r\n"
    text += "Server-Request-Count: \(count)\r\nClient-Request-Count: \(number)\r\n"
    var compared: [(name: String, value: String)] = []
    for line in step.answer {
      let isCompared = !line.hasPrefix("~")
      let full = Self.filled(String(line.drop { $0 == "~" }), at: now, path: path)
      text += full + "\r\n"
      let parts = full.split(separator: ":", maxSplits: 1).map(\.trimmingBlanks)
      guard isCompared, parts.count == 2, parts[0].lowercased() != "date" else { continue }
      let name = parts[0].lowercased()
      if let index = compared.firstIndex(where: { $0.name == name }) {
        compared[index].value += ", " + parts[1]
      } else {
        compared.append((name, parts[1]))
      }
    }
    let names = Set(step.answer.map { $0.drop { $0 == "~" }.prefix { $0 != ":" }.lowercased() })
    if !names.contains("content-type") { text += "Content-Type: text/plain\r\n" }
    let body = status == 204 || status == 304 ? "" : step.text ?? ConformanceOrigin.text
    let hasOwnFraming = names.contains("content-length") || names.contains("transfer-encoding")
    if !hasOwnFraming, status != 204, status != 304 {
      text += "Content-Length: \(body.utf8.count)\r\n"
    }
    text += "\r\n"
    if request.method != "HEAD" { text += body }
    return (Array(text.utf8), compared, hasOwnFraming || request.wantsClose)
  }

  /// A 304 for the validator of the previous response, where expected; 999 when it did not come.
  private func status(for request: LoopbackRequest) -> Int {
    switch step.arrival {
    case .tagConfirmed, .dateConfirmed:
      func validator(_ name: String) -> String? {
        steps[number - 2].answer.lazy.map { $0.split(separator: ":", maxSplits: 1) }
          .first { $0[0].drop { $0 == "~" }.lowercased() == name }.map { $0[1].trimmingBlanks }
      }
      if let tag = validator("etag"), request["if-none-match"] == tag { return 304 }
      if validator("last-modified") != nil, request["if-modified-since"] != nil { return 304 }
      return 999
    default: return step.status
    }
  }

  static func filled(_ line: String, at now: Date, path: String) -> String {
    guard let colon = line.firstIndex(of: ":") else { return line }
    let value = line[line.index(after: colon)...].drop { $0 == " " }
    if value.hasPrefix("@"), let offset = Double(value.dropFirst()) {
      return "\(line[..<colon]): \(HTTPDate.format(now + offset))"
    }
    return value.hasPrefix("^") ? "\(line[..<colon]): \(path)\(value.dropFirst())" : line
  }
}
