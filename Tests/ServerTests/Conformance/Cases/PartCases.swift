extension ConformanceCase {
  private static func cut(
    _ id: String, _ range: String, of text: String = "01234567890", _ wanted: String
  ) -> ConformanceCase {
    ConformanceCase(
      id, .optimal, "RFC 9110 §14.2",
      [
        .fill(["Cache-Control: max-age=3600"], text: text, pauses: false),
        .look(.cached, send: ["Range: bytes=\(range)"], gives: 206, givesText: wanted),
      ])
  }

  /// The suite's range response announces six bytes and sends five, which a careful cache does not
  /// store; here its length is right.
  private static func part(_ id: String, _ range: String, _ wanted: String) -> ConformanceCase {
    ConformanceCase(
      id, .optimal, "§3.3",
      [
        .fill(
          ["Cache-Control: max-age=3600", "Content-Range: bytes 5-9/10"], status: 206,
          send: ["Range: bytes=-5"], text: "01234", pauses: false
        ).with { $0.asks = ["Range: bytes=-5"] },
        .look(.cached, send: ["Range: bytes=\(range)"], gives: 206, givesText: wanted),
      ])
  }

  private static let cutOnce: Set<ConformanceStep.Look> = [.arrival, .status, .text]

  static let parts: [ConformanceCase] = [
    cut("partial-store-complete-reuse-partial", "0-1", "01"),
    cut("partial-store-complete-reuse-partial-no-last", "1-", "1234567890"),
    cut("partial-store-complete-reuse-partial-suffix", "-1", of: "0123456789A", "A"),
    part("partial-store-partial-reuse-partial", "-5", "01234"),
    part("partial-store-partial-reuse-partial-byterange", "6-8", "123"),
    part("partial-store-partial-reuse-partial-absent", "6-", "1234"),
    part("partial-store-partial-reuse-partial-suffix", "-1", "4"),
    ConformanceCase(
      "partial-store-partial-complete", .optimal, "§3.4",
      [
        .fill(
          ["Cache-Control: max-age=3600", "Content-Range: bytes 0-4/10"], status: 206,
          send: ["Range: bytes=-5"], text: "01234", pauses: false),
        .look(asks: ["Range: bytes=5-"]),
      ]),
    ConformanceCase(
      "partial-use-headers", .required, "§3.4",
      [
        .fill(["Cache-Control: max-age=3600", "A: 1"], text: "01234567890", pauses: false),
        .look(
          .cached, send: ["Range: bytes=0-1"], answer: ["A: 2"], gives: 206, prepares: cutOnce,
          givesText: "01"),
      ]),
    ConformanceCase(
      "partial-use-stored-headers", .required, "§3.4",
      [
        .fill(["Cache-Control: max-age=3600", "A: 1"], text: "01234567890", pauses: false),
        .look(
          .cached, send: ["Range: bytes=0-1"], gives: 206, has: ["A: 1"], prepares: cutOnce,
          givesText: "01"),
      ]),
  ]
}
