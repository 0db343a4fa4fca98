import Testing

@testable import HTTPListening

@Suite struct `The table of the last hour` {
  /// A history of points of some seconds, all other values zero.
  private func history(_ seconds: [Double]) -> ServerStatus.History {
    var history = ServerStatus.History()
    let zeros = seconds.map { _ in 0 }
    history.seconds = seconds
    history.requests = zeros
    history.errors = zeros
    history.memoryEvictions = zeros
    history.diskEvictions = zeros
    history.p50Seconds = seconds.map { _ in nil }
    history.p99Seconds = seconds.map { _ in nil }
    return history
  }

  /// The cells of each row of the body, with its heading.
  private func rows(
    _ history: ServerStatus.History, _ language: PageLanguage = .english
  ) throws -> [[String]] {
    let html = StatusTable(history: history, language: language).html
    let start = try #require(html.firstRange(of: "<tbody>")).upperBound
    return html[start...].split(separator: "<tr>").filter { $0.contains("<td>") }.map { row in
      row.split(separator: ">").compactMap { part in
        part.firstRange(of: "</t").map { String(part[..<$0.lowerBound]) }
      }.filter { !$0.isEmpty }
    }
  }

  @Test func `has one empty row before the first reading`() throws {
    let rows = try rows(ServerStatus.History())

    #expect(rows == [["−10 min … now", "0", "0", "–", "–", "0", "0"]])
  }

  @Test func `has a row for each ten minutes, the newest first`() throws {
    var history = history([600, 600, 300])
    history.requests = [1, 20, 1300]

    let rows = try rows(history)

    #expect(rows.map { $0[0] } == ["−10 min … now", "−20 … −10 min", "−30 … −20 min"])
    #expect(rows.map { $0[1] } == ["1,300", "20", "1"])
  }

  @Test func `counts images from a cache among all images`() throws {
    var history = history([30, 30])
    history.answers = [
      "memory": [1, 0], "disk": [0, 1], "shared": [1, 0], "stale": [0, 1], "miss": [1, 0],
      "placeholder": [1, 0],
    ]

    #expect(try rows(history).map { $0[3] } == ["50 %"])
  }

  @Test func `adds counts, and shows the slowest and the fullest moment`() throws {
    var history = history([30, 30, 30])
    history.errors = [1, 2, 4]
    history.p99Seconds = [0.5, 2, nil]
    history.waiting = ["decode": [5, 1, 0], "fetch": [1, 7, 2]]
    history.memoryEvictions = [1, 10, 0]
    history.diskEvictions = [0, 100, 0]

    #expect(try rows(history) == [["−10 min … now", "0", "7", "–", "2 s", "8", "111"]])
  }

  @Test func `puts what is older than an hour into the last row`() throws {
    var history = history([600, 600, 600, 600, 600, 600, 600, 600])
    history.requests = [1, 2, 4, 8, 16, 32, 64, 128]

    #expect(try rows(history).map { $0[1] } == ["128", "64", "32", "16", "8", "7"])
  }
}
