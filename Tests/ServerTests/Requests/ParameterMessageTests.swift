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

  @Test(arguments: [
    "w", "h", "q", "dpr", "fit", "format", "frame", "enlarge", "background", "focus",
    "profile",
  ])
  func `names the parameter, not its value`(key: String) {
    let others = key == "w" ? "url=u" : "url=u&w=1"

    let problem = problem("\(others)&\(key)=nonsense")

    #expect(
      problem
        == Problem(
          .badRequest, "bad_parameter", "The value of the parameter \(key) is not valid."))
  }

  @Test(arguments: ["w=1", "url=&w=1", "url&w=1"])
  func `says that the url is missing`(query: String) {
    #expect(
      problem(query) == Problem(.badRequest, "bad_parameter", "The parameter url is missing."))
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

  @Test(arguments: ["url=u", "url=u&w=0", "url=u&h=0", "url=u&w=0&h=0&fit=contain"])
  func `says that a size is missing`(query: String) {
    #expect(
      problem(query)
        == Problem(.badRequest, "bad_parameter", "One of w and h has to be greater than 0."))
  }

  @Test(arguments: [("jpeg", "JPEG"), ("jpg", "JPEG"), ("gif", "GIF")])
  func `names the format that cannot be lossless`(format: String, name: String) {
    #expect(
      problem("url=u&w=1&q=lossless&format=\(format)")
        == Problem(
          .badRequest, "bad_parameter", "q=lossless is for PNG and WebP, not \(name)."))
  }

  @Test func `tells an unknown parameter from an invalid one`() {
    #expect(
      problem("url=u&w=1&width=2")
        == Problem(.badRequest, "unknown_parameter", "The query has an unknown parameter."))
    #expect(problem("url=u&w=1&sig=x&kid=k&exp=1") == nil)
  }

  @Test func `tells a large size from one that is not listed`() {
    var rules = ThumbnailRules()
    rules.maximumSide = 100
    rules.allowedSizes = [PixelSize(width: 50, height: 50)]

    #expect(problem("url=u&w=50&h=50", rules) == nil)
    #expect(
      problem("url=u&w=101", rules)
        == Problem(.contentTooLarge, "limit_exceeded", "The thumbnail exceeds the maximum size."))
    #expect(
      problem("url=u&w=51&h=50", rules)
        == Problem(.badRequest, "size_not_allowed", "This size is not allowed."))
  }

  @Test func `tells an unknown preset from a missing one`() {
    var rules = ThumbnailRules()
    rules.presets = ["card": "w=300"]
    rules.presetsOnly = true

    #expect(problem("url=u&preset=card", rules) == nil)
    #expect(
      problem("url=u&preset=Card", rules)
        == Problem(.badRequest, "no_such_preset", "Unknown preset."))
    #expect(
      problem("url=u&w=300", rules)
        == Problem(.badRequest, "preset_required", "Only presets are allowed."))
  }

  @Test func `tells a malformed query from a repeated parameter`() {
    #expect(problem("url=%zz") == Problem(.badRequest, "bad_query", "Malformed query."))
    #expect(
      problem("url=u&w=1&w=1")
        == Problem(.badRequest, "repeated_parameter", "Duplicate query parameter."))
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
