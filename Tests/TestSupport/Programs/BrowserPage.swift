import Foundation
import Testing

@testable import ImageFeeds
@testable import ImageModel

/// A page in the browser, in a context of its own: no storage and no cache from another test.
///
/// As large as a phone, with touch; what went wrong in it is kept for ``faults()``.
final class BrowserPage: Sendable {
  static let width = 375
  static let height = 667

  private let browser: Browser
  private let session: String
  private let context: String

  /// - Parameters:
  ///   - features: For media queries, such as `prefers-reduced-motion`.
  ///   - language: What the browser prefers.
  ///   - density: Pixels a point.
  ///   - size: In points.
  ///   - isMobile: Whether it is a phone, with touch, or a window on a desktop.
  ///   - allowsWorker: Whether a service worker may keep what the page loads.
  init(
    features: [String: String] = [:], language: String = "zh-CN", density: Int = 2,
    size: (width: Int, height: Int) = (width, height), isMobile: Bool = true,
    allowsWorker: Bool = false
  ) async throws {
    browser = try Browser.shared.get()
    context = try #require(
      try await browser.send("Target.createBrowserContext")["browserContextId"]?.text)
    let target = try await browser.send(
      "Target.createTarget", ["url": "about:blank", "browserContextId": context])
    let attached = try await browser.send(
      "Target.attachToTarget",
      ["targetId": try #require(target["targetId"]?.text), "flatten": true])
    session = try #require(attached["sessionId"]?.text)
    for domain in ["Page", "Runtime", "Network", "Log"] { _ = try await send("\(domain).enable") }
    _ = try await send(
      "Emulation.setDeviceMetricsOverride",
      [
        "width": size.width, "height": size.height, "deviceScaleFactor": density,
        "mobile": isMobile,
      ])
    _ = try await send("Emulation.setTouchEmulationEnabled", ["enabled": isMobile])
    _ = try await send(
      "Emulation.setEmulatedMedia",
      ["features": features.map { ["name": $0.key, "value": $0.value] }])
    _ = try await send(
      "Network.setExtraHTTPHeaders", ["headers": ["Accept-Language": language]])
    _ = try await send(
      "Page.addScriptToEvaluateOnNewDocument",
      [
        "source": """
        if (!\(allowsWorker)) delete Navigator.prototype.serviceWorker;
        window.shifts = [];
        window.$ = (selector) => document.querySelector(selector);
        window.$$ = (selector) => [...document.querySelectorAll(selector)];
        // The page's clock can be put forward, and counts how often it was looked at.
        window.skew = 0;
        window.looks = 0;
        const now = performance.now.bind(performance);
        performance.now = () => { window.looks += 1; return now() + window.skew; };
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) {
            if (entry.hadRecentInput || entry.value < 0.001) continue;
            // The notice lies over the page and is as wide as its words.
            const isNotice = ({ node }) => Boolean((node?.closest ? node : node?.parentElement)?.closest('.hud'));
            if (entry.sources.length > 0 && entry.sources.every(isNotice)) continue;
            const moved = entry.sources.map(({ node, previousRect: from, currentRect: to }) =>
              `${node?.nodeName}#${node?.id}.${node?.className} ${from.x},${from.y} ${to.x},${to.y}`);
            window.shifts.push(`${entry.value}: ${moved.join(', ')}`);
          }
        }).observe({ type: 'layout-shift', buffered: true });
        """
      ])
  }

  func close() async throws {
    _ = try await browser.send("Target.disposeBrowserContext", ["browserContextId": context])
  }

  func send(_ method: String, _ parameters: [String: Any] = [:]) async throws -> ParsedJSON {
    try await browser.send(method, parameters, session: session)
  }

  func go(to address: String) async throws {
    _ = try await send("Page.navigate", ["url": address])
  }

  /// Evaluates an expression, waits for it where it is a promise, and returns its value.
  @discardableResult
  func value(_ expression: String) async throws -> ParsedJSON {
    let answer = try await send(
      "Runtime.evaluate",
      [
        "expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true,
      ])
    if let fault = answer["exceptionDetails"] {
      let text = fault["exception"]?["description"]?.text ?? fault["text"]?.text ?? "it failed"
      throw ImageError(.protocolError, "\(expression.prefix(200)): \(text)")
    }
    return answer["result"]?["value"] ?? .null
  }

  func number(_ expression: String) async throws -> Double {
    switch try await value(expression) {
    case .integer(let value): Double(value)
    case .number(let value): value
    case let other: throw ImageError(.protocolError, "\(expression) is no number but \(other)")
    }
  }

  func text(_ expression: String) async throws -> String {
    try await value("(async () => String(await (\(expression))))()").text ?? ""
  }

  func expect(
    value expression: String, _ expected: ParsedJSON,
    _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let value = try await value(expression)
    #expect(value == expected, "\(expression)", sourceLocation: location)
  }

  func expect(
    text expression: String, _ expected: String, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let value = try await text(expression)
    #expect(value == expected, "\(expression)", sourceLocation: location)
  }

  func expect(
    number expression: String, _ expected: Double, _ location: SourceLocation = #_sourceLocation
  ) async throws {
    let value = try await number(expression)
    #expect(value == expected, "\(expression)", sourceLocation: location)
  }

  /// Waits until a condition holds in the page. It looks every few milliseconds, there; a page that
  /// never comes so far fails the test instead of hanging it.
  func wait(until condition: String, _ location: SourceLocation = #_sourceLocation) async throws {
    let expression = """
      new Promise((resolve) => {
        const end = Date.now() + 3000;
        const look = () => {
          let holds = false;
          try { holds = Boolean(\(condition)); } catch { holds = false; }
          if (holds || Date.now() > end) resolve(holds);
          else setTimeout(look, 15);
        };
        look();
      })
      """
    for _ in 0..<20 {
      // A page that is being left cannot answer; the next one can.
      if case .bool(true)? = try? await value(expression) { return }
    }
    let content = try? await text(
      """
      (async () => {
        const late = new Promise((end) => setTimeout(end, 5000, 'none in 5 s'));
        const begin = performance.now();
        const frame = new Promise(requestAnimationFrame)
          .then(() => `${Math.round(performance.now() - begin)} ms`);
        return `${document.visibilityState}, next frame: ${await Promise.race([frame, late])}, `
          + `focus: ${document.activeElement?.className}, strip at ${$('.strip')?.scrollLeft}; `
          + document.body.innerText.slice(0, 1000);
      })()
      """)
    Issue.record(
      "never came true: \(condition); the page: \(content ?? "no answer")",
      sourceLocation: location)
    throw ImageError(.timedOut, "never came true: \(condition)")
  }

  /// Puts a finger down, moves it, and leaves it there.
  func drag(from start: (Int, Int), to end: (Int, Int), steps: Int = 8) async throws {
    try await showFrame()
    try await touch("touchStart", start)
    try await move(from: start, to: end, steps: steps)
  }

  /// Moves a finger that touches the page already.
  func move(from start: (Int, Int), to end: (Int, Int), steps: Int = 8) async throws {
    for step in 1...steps {
      let x = start.0 + (end.0 - start.0) * step / steps
      let y = start.1 + (end.1 - start.1) * step / steps
      try await touch("touchMove", (x, y))
    }
  }

  /// Waits until the browser shows what scripts have done so far: a finger moves what it sees.
  ///
  /// A browser under load scrolls for a finger before it shows where a script has scrolled to, and
  /// then adds the two. The first frame takes the script's place over, the third one begins when
  /// that has been shown.
  func showFrame() async throws {
    try await value(
      """
      new Promise((shown) => {
        let left = 4;
        const next = () => (left-- > 0 ? requestAnimationFrame(next) : shown());
        next();
      })
      """)
  }

  /// Keeps the finger where it is until the browser takes it to be still, so that it moves what is
  /// under it as far as it went and no further.
  ///
  /// What a moving finger leaves goes on moving, and a browser under load looks for the place where
  /// it has to stop only after that place.
  func rest() async throws {
    for _ in 0..<2 { try await showFrame() }
  }

  func letGo() async throws {
    _ = try await send("Input.dispatchTouchEvent", ["type": "touchEnd", "touchPoints": []])
  }

  func touch(_ type: String, _ places: (Int, Int)...) async throws {
    _ = try await send(
      "Input.dispatchTouchEvent",
      ["type": type, "touchPoints": places.map { ["x": $0.0, "y": $0.1] }])
  }

  func tap(_ selector: String) async throws {
    let x = try await number(
      "(() => { const r = document.querySelector('\(selector)').getBoundingClientRect(); return Math.round(r.x + r.width / 2) })()"
    )
    let y = try await number(
      "(() => { const r = document.querySelector('\(selector)').getBoundingClientRect(); return Math.round(r.y + r.height / 2) })()"
    )
    try await touch("touchStart", (Int(x), Int(y)))
    try await letGo()
  }

  func key(_ key: String, code: Int, withShift: Bool = false) async throws {
    for type in ["rawKeyDown", "keyUp"] {
      _ = try await send(
        "Input.dispatchKeyEvent",
        [
          "type": type, "key": key, "code": key, "windowsVirtualKeyCode": code,
          "modifiers": withShift ? 8 : 0,
        ])
    }
  }

  /// Puts a text into a field, in place of what is there, as if it was typed.
  func type(_ text: String, into field: String) async throws {
    try await value(
      "document.querySelector('\(field)').focus(); document.querySelector('\(field)').select()")
    _ = try await send("Input.insertText", ["text": text])
  }

  func screenshot() async throws -> Data {
    let answer = try await send("Page.captureScreenshot", ["format": "png"])
    return try #require(Data(base64Encoded: answer["data"]?.text ?? ""))
  }

  /// The addresses that were asked for over the network, in order.
  func requests() -> [String] {
    browser.events(of: session).filter { $0.method == "Network.requestWillBeSent" }
      .compactMap { $0.parameters["request"]?["url"]?.text }
      .filter { !$0.hasPrefix("data:") }
  }

  /// Errors on the console and exceptions nobody caught, but for answers that say no, which the
  /// browser puts there too.
  func faults(expectingRefusals: Bool = false) -> [String] {
    browser.events(of: session).compactMap { event in
      switch event.method {
      case "Runtime.exceptionThrown":
        event.parameters["exceptionDetails"]?["exception"]?["description"]?.text ?? "exception"
      case "Runtime.consoleAPICalled" where event.parameters["type"]?.text == "error":
        "console.error"
      case "Log.entryAdded" where event.parameters["entry"]?["level"]?.text == "error":
        expectingRefusals && event.parameters["entry"]?["source"]?.text == "network"
          ? nil : event.parameters["entry"]?["text"]?.text ?? "log"
      default: nil
      }
    }
  }

  /// How parts of the page moved by themselves, without a touch or a key shortly before: what, from
  /// where, to where.
  func layoutShifts() async throws -> String { try await text("window.shifts.join('; ')") }
}
