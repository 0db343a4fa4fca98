import ImageFeeds
import Testing

@testable import ThumbnailServer

/// The events of a refresh as a page reads them (HTML Living Standard, server-sent events).
@Suite struct `Events of a refresh` {
  private func progress() -> RefreshProgress {
    var progress = RefreshProgress()
    (progress.total, progress.downloaded, progress.revalidated) = (9, 1, 2)
    (progress.cached, progress.failed) = (3, 1)
    return progress
  }

  /// The fields of an event, and whether an empty line ends it.
  private func fields(_ event: DayRefreshes.Event) -> (name: String, data: String, isEnded: Bool) {
    let lines = event.text.split(separator: "\n", omittingEmptySubsequences: false)
    func value(_ field: String) -> String {
      lines.filter { $0.hasPrefix("\(field): ") }.map { String($0.dropFirst(field.count + 2)) }
        .joined(separator: "|")
    }
    return (value("event"), value("data"), lines.suffix(2) == ["", ""])
  }

  @Test func `have a name, one line of data and an empty line`() {
    var progress = progress()
    progress.url = "http://a.test/\n\r\"x\""
    let events: [DayRefreshes.Event] = [
      .progress(progress), .done(progress), .failed(code: "a\nb", message: "c\r\n\r\ndata: d"),
    ]

    for event in events {
      let (_, data, isEnded) = fields(event)
      #expect(isEnded)
      #expect(event.text.count(where: \.isNewline) == 3)
      #expect(data.hasPrefix("{") && data.hasSuffix("}") && !data.contains("|"))
    }
    #expect(events.map { fields($0).name } == ["progress", "done", "failed"])
  }

  @Test func `count what is done, and have no URL before the first image`() {
    #expect(fields(.progress(progress())).data == #"{"done":7,"failed":1,"total":9,"url":null}"#)
    #expect(
      fields(.done(progress())).data
        == #"{"cached":3,"downloaded":1,"failed":1,"images":9,"revalidated":2}"#)
  }

  // MARK: A server without days

  @Test func `of a server that stops are not begun`() async throws {
    let refreshes = DayRefreshes(days: NoDays()) {}
    refreshes.drain()

    #expect(throws: (any Error).self) { try refreshes.start(.latest, named: "latest") }
    #expect(refreshes.events(named: "latest") == nil)
    #expect(refreshes.cut() == 0)
    #expect(!refreshes.wasCut)
  }
}
