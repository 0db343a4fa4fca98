import ImageCodecs
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
            .badRequest, "bad_parameter", "The value of the parameter \(key) is not valid."
          ).about(key))
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
        "q=lossless is for PNG, WebP and AVIF, not JPEG."
      ),
      (
        "url=u&w=1&q=lossless&format=gif", "bad_parameter",
        "q=lossless is for PNG, WebP and AVIF, not GIF."
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

    let found = problem(query, rules)
    #expect(found?.status == .badRequest && found?.code == code && found?.detail == detail)
  }

  @Test(arguments: [
    ("url=u&w=1&width=2", "width"), ("url=u&w=1&b=1&a=1", "a"), ("url=u&w=1&w=2", "w"),
    ("w=1", "url"), ("url=u", "w"), ("url=u&preset=x", "preset"), ("url=u&w=9000&h=1", "w"),
    ("url=u&w=1&h=9000", "h"), ("url=u&w=1&q=lossless&format=jpg", "q"), ("url=%zz", nil),
    ("url=u&w=1&a%20b=1", nil), ("url=u&w=1&%22=1", nil),
    ("url=u&w=1&aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=1", nil), ("url=u&w=51&h=50", nil),
  ])
  func `names the parameter in a member of its own, unless the name is a client's text`(
    query: String, name: String?
  ) throws {
    var rules = ThumbnailRules()
    if query.contains("51") { rules.allowedSizes = [PixelSize(width: 50, height: 50)] }

    let found = try #require(problem(query, rules))

    #expect(found.parameter == name)
    #expect(found.json.contains(name.map { ",\"parameter\":\"\($0)\"}" } ?? "\"}\n"))
  }

  @Test func `is not given where a default has what a request lacks, which overrides it`() throws {
    var rules = ThumbnailRules()
    rules.defaults = "w=70&q=40&fit=inside"
    rules.presets = ["card": "w=50&h=50&q=60"]
    func recipe(_ query: String) throws(Problem) -> ThumbnailRecipe? {
      try ThumbnailParameters.thumbnail(
        QueryPairs(target: "/thumb?url=u&\(query)"), accepting: .any, rules: rules
      ).recipe
    }

    let (bare, own) = (try recipe(""), try recipe("w=30&q=90"))
    let (preset, both) = (try recipe("preset=card"), try recipe("preset=card&q=90&fit=cover"))

    #expect(bare?.size == PixelSize(width: 70, height: 0) && bare?.quality == 40)
    #expect(own?.size == PixelSize(width: 30, height: 0) && own?.quality == 90)
    #expect(preset?.size == PixelSize(width: 50, height: 50) && preset?.quality == 60)
    #expect(preset?.fit == .inside && both?.fit == .cover && both?.quality == 90)
    rules.defaults = "preset=card"
    rules.presetsOnly = true
    #expect(try recipe("")?.size == PixelSize(width: 50, height: 50))
    #expect(throws: Problem.self) { try recipe("w=3") }
    try rules.check()
  }

  @Test(arguments: [
    ("url=u", "The parameter url has no default."), ("sig=1", "The parameter sig has no default."),
    ("fit=squash", "The value of the parameter fit is not valid."),
    ("size=1", "The query has an unknown parameter."), ("preset=none", "Unknown preset."),
    ("w=9000", "The thumbnail exceeds the maximum size."),
  ])
  func `is given for defaults at startup`(text: String, detail: String) {
    var rules = ThumbnailRules()
    rules.defaults = text

    let error = #expect(throws: ImageError.self) { try rules.check() }

    #expect(error?.message == "the defaults \(text): \(detail)")
  }

  @Test func `is not given for what is right, and tells a large size and a missing preset`() {
    var rules = ThumbnailRules()
    rules.maximumSide = 100
    #expect(problem("url=u&w=1&sig=x&kid=k&exp=1", rules) == nil)
    #expect(
      problem("url=u&w=101", rules)
        == Problem(
          .contentTooLarge, "limit_exceeded", "The thumbnail exceeds the maximum size."
        ).about("w"))
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
