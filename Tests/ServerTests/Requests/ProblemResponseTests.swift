import Foundation
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

  @Test func `has a detail that is its localized description`() {
    let errors: [any Error] = [
      Problem(.notFound, "no_such_page", "Unknown path."), RequestBody.Incomplete(),
    ]

    #expect(
      errors.map(\.localizedDescription)
        == ["Unknown path.", "the request's body did not arrive whole"])
  }
}
