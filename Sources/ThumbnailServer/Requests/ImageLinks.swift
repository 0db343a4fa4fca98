import ImageFeeds

/// Makes the targets under which the server offers images, signed if it requires that.
public struct ImageLinks: Sendable {
  let signer: URLSigner?

  /// The original.
  public func image(_ url: String) -> String {
    signed(QueryPairs.target("/image", [.init(key: "url", value: url)]))
  }

  /// A thumbnail; a side of 0 is free.
  public func thumbnail(
    _ url: String, width: Int, height: Int, pixelRatio: Int = 1, wantsPlaceholder: Bool = true
  ) -> String {
    var pairs = [
      QueryPairs.Pair(key: "url", value: url), .init(key: "w", value: "\(width)"),
      .init(key: "h", value: "\(height)"),
    ]
    if pixelRatio != 1 { pairs.append(.init(key: "dpr", value: "\(pixelRatio)")) }
    if wantsPlaceholder { pairs.append(.init(key: "placeholder", value: "1")) }
    return signed(QueryPairs.target("/thumb", pairs))
  }

  func storyPage(_ id: String, on day: DayKey) -> String {
    "/days/\(day)/stories/\(QueryPairs.encoded(id))"
  }

  private func signed(_ target: String) -> String {
    guard let signer else { return target }
    return (try? signer.sign(target)) ?? target
  }
}
