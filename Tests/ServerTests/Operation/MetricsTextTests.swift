import Testing

@testable import HTTPListening

@Suite struct `The text of metrics` {
  private func text(
    _ format: PrometheusText.Format, _ write: (inout PrometheusText) -> Void
  ) -> String {
    var text = PrometheusText(format)
    write(&text)
    return text.text
  }

  @Test func `names a counter without its suffix in OpenMetrics alone`() {
    func write(_ text: inout PrometheusText) { text.metric("x_total", .counter, "Things.", 3) }

    #expect(
      text(.prometheus, write) == """
        # HELP x_total Things.
        # TYPE x_total counter
        x_total 3

        """)
    #expect(
      text(.openMetrics, write) == """
        # HELP x Things.
        # TYPE x counter
        x_total 3
        # EOF

        """)
  }

  @Test(
    arguments: [
      ("x_seconds", .gauge, "x_seconds gauge\n# UNIT x_seconds seconds"),
      ("x_bytes", .gauge, "x_bytes gauge\n# UNIT x_bytes bytes"),
      ("x_bytes_total", .counter, "x_bytes counter\n# UNIT x_bytes bytes"),
      ("x_total", .gauge, "x_total gauge"),
    ] as [(String, PrometheusText.Kind, String)])
  func `states the unit in OpenMetrics, for a counter before its suffix`(
    name: String, kind: PrometheusText.Kind, type: String
  ) {
    #expect(text(.openMetrics) { $0.metric(name, kind, nil) } == "# TYPE \(type)\n# EOF\n")
  }

  @Test func `has a line for each value of a label, in order`() {
    let text = text(.prometheus) {
      $0.metric("x", .gauge, "Things.", by: "tier", ["disk": 2, "a\\\"\n": 1])
    }

    #expect(
      text == """
        # HELP x Things.
        # TYPE x gauge
        x{tier="disk"} 2
        x{tier="a\\\\\\"\\n"} 1

        """)
  }

  @Test(arguments: [
    ([], PrometheusText.Format.prometheus), (["*/*"], .prometheus), (["text/plain"], .prometheus),
    (["application/openmetrics-text"], .openMetrics),
    (["application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5"], .openMetrics),
    (["application/openmetrics-text;q=0.5,text/plain"], .prometheus),
    (["application/openmetrics-text;q=0"], .prometheus),
    (["text/plain", "application/openmetrics-text"], .openMetrics),
    (["APPLICATION/OpenMetrics-Text; Q=0.1"], .openMetrics),
  ])
  func `is the dialect that the client prefers`(lines: [String], format: PrometheusText.Format) {
    #expect(PrometheusText.Format(accept: lines) == format)
  }
}
