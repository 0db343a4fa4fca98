import HTTPTypes
import NIOCore
import Testing

@testable import HTTPListening
@testable import ThumbnailServer

@Suite struct `The response of a problem` {
  @Test func `is one line of JSON with the members of RFC 9457 and a code`() {
    let problem = Problem(.notFound, "no_such_page", "Unknown path.")

    #expect(
      problem.json == """
        {"type":"about:blank","title":"Not Found","status":404,"code":"no_such_page",\
        "detail":"Unknown path."}

        """)
  }

  @Test func `is stored by no cache and runs nothing in a browser`() {
    let fields = Problem(.badRequest, "bad_query", "Malformed query.").fields

    #expect(fields[.contentType] == "application/problem+json")
    #expect(fields[.cacheControl] == "no-store")
    #expect(fields[.xContentTypeOptions] == "nosniff")
    #expect(
      fields[.contentSecurityPolicy] == """
        default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        sandbox
        """)
    #expect(fields[.retryAfter] == nil)
    #expect(fields[.allow] == nil)
  }

  @Test func `lists the allowed methods after another one`() {
    let problem = Problem.method(allowed: "GET, HEAD")

    #expect(problem.status == .methodNotAllowed)
    #expect(problem.fields[.allow] == "GET, HEAD")
    #expect(problem.detail == "This path does not allow the method.")
  }

  @Test func `has the same fields and body if it is sent before routing`() {
    let refusal = Problem.busy.refusal(DateField { .distantPast })

    guard refusal.count == 3, case .head(let head) = refusal[0],
      case .body(.byteBuffer(let body)) = refusal[1]
    else {
      Issue.record("\(refusal)")
      return
    }
    #expect(head.status.code == 503)
    #expect(head.headers["Retry-After"] == ["1"])
    #expect(head.headers["Content-Type"] == ["application/problem+json"])
    #expect(head.headers["Content-Length"] == ["\(Problem.busy.json.utf8.count)"])
    #expect(String(buffer: body) == Problem.busy.json)
    #expect(Problem.busy.refusal(DateField { .distantPast }, hasBody: false).count == 2)
  }

  @Test func `keeps a policy that a page has set itself`() {
    var fields: HTTPFields = [.contentSecurityPolicy: "default-src 'self'"]

    SafetyFields.add(to: &fields)

    #expect(fields[.contentSecurityPolicy] == "default-src 'self'")
    #expect(fields[.xContentTypeOptions] == "nosniff")
  }
}
