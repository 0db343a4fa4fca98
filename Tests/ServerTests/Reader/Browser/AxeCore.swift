import Foundation
import Testing

@testable import ImageFeeds
@testable import ImageModel
@testable import TestSupport

/// The accessibility rules of axe-core, run in a page (PyPI: `axe-core-python`, which contains
/// `axe.min.js`); where it is not installed, the tests that need it are reported as skipped.
enum AxeCore {
  /// The script, as `scripts/install-dependencies --for-tests` installs it in `.build/axe`.
  static let script: String? = {
    let libraries = SharedFixtures.packageRoot.appending(path: ".build/axe/lib").path
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: libraries)) ?? []
    return versions.lazy.compactMap { version in
      let file = "\(libraries)/\(version)/site-packages/axe_core_python/axe.min.js"
      return try? String(contentsOfFile: file, encoding: .utf8)
    }.first
  }()

  static var isInstalled: Bool { script != nil }

  /// Returns the rules that the page as it is now violates, each with the elements; empty for none.
  static func violations(on page: BrowserPage) async throws -> String {
    if try await page.value("typeof window.axe") == .string("undefined") {
      try await page.value(try #require(script) + "; true")
    }
    return try await page.text(
      """
      axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations
        .map(({ id, nodes }) => `${id}: ${nodes.slice(0, 4).map(({ html }) => html.slice(0, 160)).join(' | ')}`)
        .join('; '))
      """)
  }
}
