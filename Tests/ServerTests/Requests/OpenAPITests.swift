import Foundation
import Testing

@testable import HTTPListening
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

/// `Distribution/openapi.yaml`; `scripts/check-openapi` holds its schemas to the program.
@Suite struct `OpenAPI description` {
  private static let text =
    (try? String(
      contentsOf: SharedFixtures.packageRoot.appending(path: "Distribution/openapi.yaml"),
      encoding: .utf8)) ?? ""

  /// The methods of each path, in capitals.
  private static let operations: [String: Set<String>] = {
    var found: [String: Set<String>] = [:]
    var path = ""
    for line in text.split(separator: "\n") {
      if let match = line.wholeMatch(of: #/  "?(/[^":]*)"?:/#) {
        path = String(match.1)
        found[path] = []
      } else if let match = line.wholeMatch(of: #/    (get|post|put|delete|patch|options):/#) {
        found[path]?.insert(match.1.uppercased())
      }
    }
    return found
  }()

  private func server() async throws -> ServerFixture {
    try await ServerFixture(serving: {
      $0.adminKeys = [SigningKey(name: nil, secret: Array("correct horse".utf8))]
    })
  }

  @Test func `it has the paths of the server and no others`() async throws {
    let server = try await server()

    #expect(Self.operations.count > 15)
    #expect(server.server.paths == Set(Self.operations.keys))
  }

  @Test func `a path allows the methods that it describes and no others`() async throws {
    let server = try await server()
    for (path, methods) in Self.operations {
      let target = path.replacing("{day}", with: "20200616").replacing("{id}", with: "1")
        .replacing("{tag}", with: "red").replacing("{name}", with: "reader.css")
      for method in ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"] {
        let answer = try await server.exchange(method, target)
        #expect((answer.status != 405) == methods.contains(method), "\(method) \(path)")
        if answer.status == 405 {
          let allowed = Set((answer["allow"] ?? "").split(separator: ", ").map(String.init))
          #expect(allowed.subtracting(["HEAD", "PURGE"]) == methods, "\(method) \(path)")
        }
      }
    }
  }

  @Test func `the version is that of the program`() throws {
    let version = try #require(Self.text.firstMatch(of: /\n  version: ([0-9.]+)\n/)?.1)

    #expect(String(version) == PackageVersion.text)
  }
}
