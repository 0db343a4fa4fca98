import HTTPListening
import HTTPTypes
import ImageModel
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Answers `/status`, the page for operators, and the same as JSON.
///
/// It needs an admin key unless the listener is a loopback address or a Unix socket.
struct StatusRoutes: Sendable {
  let monitor: StatusMonitor
  let rules: RulesInForce
  let clock: @Sendable () -> Date

  /// Adds the routes.
  func add(to routes: inout RouteTable) {
    routes.get("/status") { request in
      try await Self.prefersJSON(request) ? json(request) : page(request)
    }
    routes.get("/status.json") { request in try await json(request) }
    routes.get("/status/status.css") { request in
      ReaderRoutes.answer(
        ReaderAsset(
          mediaType: "text/css; charset=utf-8", bytes: PackageResources.status_css), request)
    }
    routes.get("/status/status.js") { request in
      ReaderRoutes.answer(
        ReaderAsset(
          mediaType: "text/javascript; charset=utf-8", bytes: PackageResources.status_js), request)
    }
  }

  private func json(_ request: Request) async throws -> Answer {
    let status = try await status(for: request)
    let text = String(decoding: try JSONText.encoded(status, inSnakeCase: true), as: UTF8.self)
    var answer = Answer.text(text + "\n", type: "application/json")
    answer.fields[.vary] = "Accept"
    return answer
  }

  private func page(_ request: Request) async throws -> Answer {
    let status = try await status(for: request)
    let page = StatusPage(status: status, language: ReaderRoutes.language(of: request).0)
    var answer = ReaderRoutes.answer(.page(page.html), request)
    answer.fields[.cacheControl] = "no-store"
    answer.fields[.eTag] = nil
    answer.fields[.vary] = "Accept, Accept-Language"
    return answer
  }

  private func status(for request: Request) async throws -> ServerStatus {
    guard Self.admits(request.fields, rules.current.admins, ConnectionPresence.current) else {
      throw Problem.adminKeyRequired
    }
    return await monitor.status(at: Int(clock().timeIntervalSince1970))
  }

  /// Whether a client may read the status.
  static func admits(
    _ fields: HTTPFields, _ admins: AdminKeys?, _ client: ConnectionPresence?
  ) -> Bool {
    client?.isLocal == true || admins?.admit(fields) == true
  }

  /// Whether `Accept` names JSON and no page.
  private static func prefersJSON(_ request: Request) -> Bool {
    let accepted = request.fields[values: .accept].joined(separator: ",").lowercased()
    return accepted.contains("application/json") && !accepted.contains("text/html")
  }
}
