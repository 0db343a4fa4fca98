import ImageFeeds

struct ImageLinks: Sendable {
  let signer: URLSigner?
  /// The path in front of every route.
  var prefix = ""

  func image(_ url: String) -> String {
    signed(QueryPairs.target(prefix + "/image", [.init(key: "url", value: url)]))
  }

  /// A thumbnail, or a placeholder where there is none; a side of 0 is free.
  func thumbnail(_ url: String, width: Int, height: Int, pixelRatio: Int = 1) -> String {
    var pairs = [
      QueryPairs.Pair(key: "url", value: url), .init(key: "w", value: "\(width)"),
      .init(key: "h", value: "\(height)"),
    ]
    if pixelRatio != 1 { pairs.append(.init(key: "dpr", value: "\(pixelRatio)")) }
    pairs.append(.init(key: "placeholder", value: "1"))
    return signed(QueryPairs.target(prefix + "/thumb", pairs))
  }

  func day(_ day: DayKey) -> String { "\(prefix)/days/\(day)" }

  func storyPage(_ id: String, on day: DayKey) -> String {
    "\(self.day(day))/stories/\(QueryPairs.encoded(id))"
  }

  private func signed(_ target: String) -> String {
    guard let signer else { return target }
    return (try? signer.sign(target)) ?? target
  }
}
