import Testing

@testable import HTTPListening

@Suite struct `A chart of the last hour` {
  private func chart(
    _ seconds: [Double], _ values: [[Double?]], isStacked: Bool = false, minimumTop: Double = 1
  ) -> String {
    let series = values.enumerated().map { index, values in
      StatusChart.Series(name: "s", color: index + 1, values: values)
    }
    return StatusChart(
      seconds: seconds, series: series, isStacked: isStacked, minimumTop: minimumTop,
      label: "a \"label\" <b>", language: .english, unit: { "\($0)&" }
    ).svg
  }

  /// The data of each path.
  private func paths(_ svg: String) -> [String] {
    svg.split(separator: " d=\"").dropFirst().map { String($0.prefix { $0 != "\"" }) }
  }

  /// The texts of the vertical axis.
  private func heights(_ svg: String) -> [String] {
    svg.split(separator: "<text class=\"y\"").dropFirst().compactMap { text in
      text.firstIndex(of: ">").map { String(text[text.index(after: $0)...].prefix { $0 != "<" }) }
    }
  }

  @Test(
    arguments: [
      ([1800, 1800], [[0, 1]], false, ["M56 152L224 152M140 152L308 10"]),
      (
        [1200, 1200, 1200], [[1, nil, 0]], false,
        ["M56 10L168 10M112 10M280 152L392 152M336 152"]
      ),
      ([3600], [[0.5], [0], [0.25]], true, ["M56 152H392V81H56Z", "", "M56 81H392V45.5H56Z"]),
      ([], [[]], false, [""]),
    ] as [([Double], [[Double?]], Bool, [String])])
  func `joins points with gaps and dashes for lone ones, or stacks shares without zeros`(
    seconds: [Double], values: [[Double?]], isStacked: Bool, data: [String]
  ) {
    #expect(paths(chart(seconds, values, isStacked: isStacked)) == data)
  }

  @Test(
    arguments: [
      ([0.2], 1.0, ["0.0&amp;", "0.5&amp;", "1.0&amp;"]),
      ([3], 1, ["0.0&amp;", "2.0&amp;", "4.0&amp;"]),
      ([nil], 10, ["0.0&amp;", "5.0&amp;", "10.0&amp;"]),
      ([.infinity], 1, ["0.0&amp;", "0.5&amp;", "1.0&amp;"]),
    ] as [([Double?], Double, [String])])
  func `ends at a round number, and not below its least top`(
    values: [Double?], minimumTop: Double, texts: [String]
  ) {
    #expect(heights(chart([3600], [values], minimumTop: minimumTop)) == texts)
  }

  @Test func `has an escaped label for screen readers`() {
    #expect(!chart([], [[]]).contains("<b>"))
    #expect(chart([], [[]]).contains("role=\"img\""))
  }
}
