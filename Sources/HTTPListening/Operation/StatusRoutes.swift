import HTTPTypes
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Answers `/status`, the page for operators, and the same as JSON.
struct StatusRoutes: Sendable {
  let monitor: StatusMonitor
  let clock: @Sendable () -> Date

  /// Adds the routes.
  func add(to routes: inout RouteTable) {
    routes.operate("/status") { request in
      try await Self.prefersJSON(request) ? json() : page(request)
    }
    routes.operate("/status.json") { _ in try await json() }
    routes.get("/status/status.css") { request in
      .site(PackageResources.status_css, type: "text/css; charset=utf-8", for: request)
    }
    routes.get("/status/status.js") { request in
      .site(PackageResources.status_js, type: "text/javascript; charset=utf-8", for: request)
    }
  }

  private func json() async throws -> Answer {
    let text = try JSONText.encoded(await status(), inSnakeCase: true)
    var answer = Answer.text(
      String(decoding: text, as: UTF8.self) + "\n", type: "application/json")
    answer.fields[.vary] = "Accept"
    return answer
  }

  private func page(_ request: Request) async throws -> Answer {
    let page = StatusPage(
      status: await status(), language: PageLanguage.language(of: request).0)
    var answer = Answer.site(Array(page.html.utf8), for: request)
    answer.fields[.cacheControl] = "no-store"
    answer.fields[.eTag] = nil
    answer.fields[.vary] = "Accept, Accept-Language"
    return answer
  }

  private func status() async -> ServerStatus {
    await monitor.status(at: Int(clock().timeIntervalSince1970))
  }

  /// Whether `Accept` names JSON and no page.
  private static func prefersJSON(_ request: Request) -> Bool {
    let accepted = request.fields[values: .accept].joined(separator: ",").lowercased()
    return accepted.contains("application/json") && !accepted.contains("text/html")
  }
}
