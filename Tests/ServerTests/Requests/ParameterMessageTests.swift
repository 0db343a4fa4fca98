import ImageModel
import Testing

@testable import HTTPListening
@testable import ThumbnailServer

@Suite struct `The reason why parameters are refused` {
  private func problem(_ query: String, _ rules: ThumbnailRules = ThumbnailRules()) -> Problem? {
    do throws(Problem) {
      _ = try ThumbnailParameters.thumbnail(
        QueryPairs(target: "/thumb?\(query)"), accepting: .any, rules: rules)
      return nil
    } catch {
      return error
    }
  }

  @Test func `names the parameter, not its value`() {
    for key in [
      "w", "h", "q", "dpr", "fit", "format", "frame", "enlarge", "background", "focus", "profile",
      "crop", "rotate", "flip", "sharpen", "blur", "gray", "radius", "watermark",
    ] {
      #expect(
        problem("url=u&\(key == "w" ? "" : "w=1&")\(key)=nonsense")
          == Problem(
            .badRequest, "bad_parameter", "The value of the parameter \(key) is not valid."))
    }
  }

  @Test(arguments: [
    "http%3A%2F%2Fann:s3cret%40x.org%2Fa.png", "http://ann@x.org/a.png", "HTTPS://:s3cret@x.org",
  ])
  func `refuses a user and a password in the url, and does not repeat them`(url: String) throws {
    let refusal = try #require(problem("url=\(url)&w=1"))

    #expect(refusal.status == .badRequest)
    #expect("\(refusal)".contains("has a user or a password"))
    #expect(!"\(refusal)".contains("s3cret") && !"\(refusal)".contains("ann"))
  }

  @Test(
    arguments: [
      ("w=1", "bad_parameter", "The parameter url is missing."),
      ("url=&w=1", "bad_parameter", "The parameter url is missing."),
      ("url&w=1", "bad_parameter", "The parameter url is missing."),
      ("url=u", "bad_parameter", "One of w and h has to be greater than 0."),
      ("url=u&w=0", "bad_parameter", "One of w and h has to be greater than 0."),
      (
        "url=u&w=0&h=0&fit=contain", "bad_parameter", "One of w and h has to be greater than 0."
      ),
      (
        "url=u&w=1&q=lossless&format=jpg", "bad_parameter",
        "q=lossless is for PNG and WebP, not JPEG."
      ),
      (
        "url=u&w=1&q=lossless&format=gif", "bad_parameter",
        "q=lossless is for PNG and WebP, not GIF."
      ), ("url=u&w=1&width=2", "unknown_parameter", "The query has an unknown parameter."),
      ("url=%zz", "bad_query", "Malformed query."),
      ("url=u&w=1&w=1", "repeated_parameter", "Duplicate query parameter."),
      ("url=u&w=51&h=50", "size_not_allowed", "This size is not allowed."),
      ("url=u&preset=Card", "no_such_preset", "Unknown preset."),
    ])
  func `is given with a code`(query: String, code: String, detail: String) {
    var rules = ThumbnailRules()
    rules.presets = ["card": "w=50&h=50"]
    if code == "size_not_allowed" { rules.allowedSizes = [PixelSize(width: 50, height: 50)] }

    #expect(problem(query, rules) == Problem(.badRequest, code, detail))
  }

  @Test func `is not given for what is right, and tells a large size and a missing preset`() {
    var rules = ThumbnailRules()
    rules.maximumSide = 100
    #expect(problem("url=u&w=1&sig=x&kid=k&exp=1", rules) == nil)
    #expect(
      problem("url=u&w=101", rules)
        == Problem(.contentTooLarge, "limit_exceeded", "The thumbnail exceeds the maximum size."))
    rules.presets = ["card": "w=30"]
    rules.presetsOnly = true
    #expect(problem("url=u&preset=card", rules) == nil)
    #expect(
      problem("url=u&w=300", rules)
        == Problem(.badRequest, "preset_required", "Only presets are allowed."))
  }

  @Test(arguments: [
    ("w=300&fit=squash", "The value of the parameter fit is not valid."),
    ("fit=cover", "One of w and h has to be greater than 0."),
    ("w=5000", "The thumbnail exceeds the maximum size."), ("w=%", "Malformed query."),
    ("w=1&w=2", "Duplicate query parameter."),
    ("w=1&size=2", "The query has an unknown parameter."),
  ])
  func `is given for a preset at startup, with its name and text`(text: String, detail: String) {
    var rules = ThumbnailRules()
    rules.presets = ["my card": text]

    let error = #expect(throws: ImageError.self) { try rules.check() }

    #expect(error?.code == .invalidArgument)
    #expect(error?.message == "the preset my card=\(text): \(detail)")
  }
}
