import ImageModel
import TextEncodings

/// The exported days before and after one, to which its page links.
struct ExportNeighbors {
  typealias Page = (day: DayKey, file: String)

  var previous: Page?
  var next: Page?

  /// Finds the days beside one among those of a folder and those that are about to be exported.
  init(of day: DayKey, in directory: String, with others: [DayKey]) {
    let days = Set(ExportIndex.days(in: directory) + others)
    func page(_ day: DayKey) -> Page { (day, ExportPageFile.name(in: "\(directory)/\(day)")) }
    previous = days.filter { $0 < day }.max().map(page)
    next = days.filter { $0 > day }.min().map(page)
  }

  init(previous: Page?, next: Page?) {
    self.previous = previous
    self.next = next
  }

  /// The elements in the head of a page, which show whether it has these neighbors.
  var head: String {
    links.map { "<link rel=\"\($0.relation)\" href=\"\(Self.address($0.page))\">\n" }.joined()
  }

  func navigation(_ words: ExportWords) -> String {
    links.map { relation, page in
      let date = words.date(page.day)
      return "<a rel=\"\(relation)\" href=\"\(Self.address(page))\">"
        + (relation == "prev" ? "← \(date)</a>" : "\(date) →</a>")
    }.joined()
  }

  private var links: [(relation: String, page: Page)] {
    [("prev", previous), ("next", next)].compactMap { relation, page in page.map { (relation, $0) }
    }
  }

  private static func address(_ page: Page) -> String { "../\(page.day)/\(page.file)" }
}
