import Foundation
import Testing

@testable import TestSupport

/// The page's `model.js`, `words.js`, `month.js`, `zoom.js` and `thumbhash.js` in a browser, without
/// the page: expressions over what they export.
enum PageModel {
  /// A page with the modules' exports and these helpers as global names. They stay loaded when the
  /// server has ended.
  private static let page = Task {
    let stub = try ReaderStub(.init(days: []))
    defer { stub.stop() }
    let page = try await BrowserPage()
    try await page.go(to: stub.origin + "/reader/icon.svg")
    try await page.wait(until: "location.pathname === '/reader/icon.svg'")
    try await page.value(
      """
      (async () => {
        for (const name of ['model', 'words', 'month', 'zoom', 'thumbhash']) {
          Object.assign(window, await import(`/reader/${name}.js`));
        }
        /** from through to */
        window.range = (from, to, by = 1) =>
          Array.from({ length: Math.floor((to - from) / by) + 1 }, (_, index) => from + index * by);
        /** The values for which a condition does not hold. */
        window.failing = (values, holds) => values.filter((value) => !holds(value));
        /** Calls methods of a machine one after the other; returns their answers. */
        window.walk = (machine, ...calls) =>
          calls.map(([method, ...rest]) => machine[method](...rest) ?? null);
        /** Calls methods of a machine one after the other; returns what is seen after each. */
        window.watch = (machine, look, ...calls) => calls.map(([method, ...rest]) => {
          machine[method](...rest);
          return look(machine);
        });
        /** A header in a state. */
        window.header = (state, inset = 0) => Object.assign(new PullRefresh(), { state, inset });
      })()
      """)
    return page
  }

  /// Expects expressions to have values, written as JSON with single quotes.
  static func expect(
    _ cases: KeyValuePairs<String, String>, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    try #require(!cases.isEmpty, sourceLocation: location)
    let asked = cases.map {
      "(() => { try { return JSON.stringify(\($0.key)); } catch (e) { return String(e); } })()"
    }
    let text = try await page.value.text("JSON.stringify([\(asked.joined(separator: ",\n"))])")
    let answers = try JSONDecoder().decode([String?].self, from: Data(text.utf8))
    try #require(answers.count == cases.count, sourceLocation: location)
    for (one, answer) in zip(cases, answers) {
      let quoted = answer?.replacing("\"", with: "'")
      #expect(quoted == one.value, "\(one.key)", sourceLocation: location)
    }
  }

  /// Returns the value of an expression, as a text.
  static func text(_ expression: String) async throws -> String {
    try await page.value.text(expression)
  }
}
