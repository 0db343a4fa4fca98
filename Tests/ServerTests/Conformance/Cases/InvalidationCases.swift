extension ConformanceCase {
  private static func unsafe(_ method: String, status: Int = 200, answer: [String] = [])
    -> ConformanceStep
  { ConformanceStep(method: method, body: "abc", status: status, answer: answer, prepares: [.all]) }

  private static let locations = ["Location: ^/located", "Content-Location: ^/described"]

  private static func invalidating(_ method: String) -> [ConformanceCase] {
    [
      ConformanceCase(
        "invalidate-\(method)", .required, "§4.4", [.fresh(), unsafe(method), .look(.passed)]),
      ConformanceCase(
        "invalidate-\(method)-failed", .optimal, "§4.4",
        [.fresh(), unsafe(method, status: 500), .look(.cached)]),
      ConformanceCase(
        "invalidate-\(method)-location", .choice(true), "§4.4",
        [
          .fresh(place: "/located"), unsafe(method, answer: locations),
          .look(.passed, place: "/located"),
        ]),
      ConformanceCase(
        "invalidate-\(method)-cl", .choice(true), "§4.4",
        [
          .fresh(place: "/described"), unsafe(method, answer: locations),
          .look(.passed, place: "/described"),
        ]),
    ]
  }

  static let invalidation: [ConformanceCase] =
    ["POST", "PUT", "DELETE", "M-SEARCH"].flatMap(invalidating) + [
      ConformanceCase(
        "method-POST", .optimal, "RFC 9110 §9.3.3",
        [
          ConformanceStep(
            method: "POST", body: "12345",
            answer: ["Expires: @2592000", "Content-Location: ^", "Date: @0"], prepares: [.all],
            pauses: true), .look(.cached),
        ])
    ]
}
