import Foundation
import Testing

@testable import ImageFeeds
@testable import ThumbnailServer
@testable import TestSupport

/// What holds in each state of the reader: rules of accessibility, targets, nothing cut off.
@Suite(.serialized, .needsBrowser)
struct `The reader's states`: ReaderVisiting {
  /// The screens and what their users prefer, each two of them together.
  static let visitors: [(width: Int, language: String, scheme: String)] = [
    (320, "zh", "light"), (320, "en", "dark"), (1280, "zh", "dark"), (1280, "en", "light"),
  ]

  /// A page over a stub, ready, that is looked at in each of its states.
  private func inEachState(
    _ visitor: (width: Int, language: String, scheme: String), fontSize: Int = 16,
    _ look: (BrowserPage, String) async throws -> Void
  ) async throws {
    var plan = ReaderStub.Plan()
    plan.story = StoryPage(
      title: "山为什么远看是蓝色的？", url: "https://a.invalid/",
      html:
        "<h2>一</h2><p>文 <a href='https://a.invalid/b'>字</a></p><p><img src='https://p.invalid/1'></p>"
    )
    plan.incompleteDays = ["20260830"]
    try await reading(
      plan, features: ["prefers-reduced-motion": "reduce", "prefers-color-scheme": visitor.scheme],
      language: visitor.language, size: (visitor.width, 640), fontSize: fontSize, allowsShift: true
    ) { page, _ in
      try await ReaderStates(page: page).visit { state in try await look(page, state) }
    }
  }

  @Test(.enabled(if: AxeCore.isInstalled, "needs axe-core-python"), arguments: visitors)
  func `no state violates a rule of axe-core`(
    visitor: (width: Int, language: String, scheme: String)
  ) async throws {
    try await inEachState(visitor) { page, state in
      let violations = try await AxeCore.violations(on: page)
      #expect(violations == "", "\(state)")
    }
  }

  /// Buttons, links and fields that can be used now and are smaller than 44 points, but for links
  /// within a text.
  private static let smallTargets = """
    (() => {
      const layer = $('dialog[open]') ?? document.body;
      return [...layer.querySelectorAll('button, a[href], input, select')].filter((target) => {
        const { width, height } = target.getBoundingClientRect();
        const isInText = target.localName === 'a' && target.closest('main p, main li') !== null
          && location.pathname !== '/';
        const isHidden = !target.checkVisibility({ visibilityProperty: true }) || target.closest('[inert]')
          || (target.className === 'skip');
        return !isHidden && !isInText && (width < 43.9 || height < 43.9);
      }).map((target) => `${target.id || target.className} ${target.getBoundingClientRect().width} × ${target.getBoundingClientRect().height}`).join(', ');
    })()
    """

  /// Texts that are cut off without an ellipsis, elements beyond the sides, and pages that scroll
  /// sideways.
  private static let cutOff = """
    (() => {
      const width = document.documentElement.clientWidth;
      const found = document.documentElement.scrollWidth > width ? ['the page scrolls sideways'] : [];
      const layer = $('dialog[open]') ?? document.body;
      for (const element of layer.querySelectorAll('*')) {
        const isHidden = !element.checkVisibility({ visibilityProperty: true }) || element.closest('[inert], .skip, .strip, .stage');
        if (isHidden || element.closest('pre, table') || element.closest('svg')) continue;
        const { left, right } = element.getBoundingClientRect();
        const name = `${element.localName}.${element.className} "${element.textContent.slice(0, 20)}"`;
        if (left < -0.5 || right > width + 0.5) found.push(`${name} from ${left} to ${right}`);
        const style = getComputedStyle(element);
        const isCut = element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0
          && style.overflowX !== 'visible' && !['auto', 'scroll'].includes(style.overflowX);
        const hasEllipsis = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none';
        if (isCut && !hasEllipsis && style.display !== 'inline') found.push(`${name} is cut off`);
      }
      return found.slice(0, 6).join(', ');
    })()
    """

  @Test(
    arguments: [
      (320, "zh", 16), (390, "en", 16), (1280, "en", 16), (320, "zh", 32), (390, "en", 24),
    ])
  func `targets have 44 points, and nothing is cut off or beyond the sides`(
    width: Int, language: String, fontSize: Int
  ) async throws {
    try await inEachState((width, language, "light"), fontSize: fontSize) { page, state in
      let cut = try await page.text(Self.cutOff)
      #expect(cut == "", "\(state)")
      let small = try await page.text(Self.smallTargets)
      #expect(small == "", "\(state)")
    }
  }

  /// Expects no violation of a page, in light and dark.
  private func audit(_ address: String, language: String = "zh", until sign: String) async throws {
    for scheme in ["light", "dark"] {
      let page = try await BrowserPage(
        features: ["prefers-color-scheme": scheme], language: language)
      try await page.go(to: address)
      try await page.wait(until: "$('\(sign)')")
      let violations = try await AxeCore.violations(on: page)
      #expect(violations == "", "\(address), \(scheme)")
      try await page.close()
    }
  }

  @Test(.enabled(if: AxeCore.isInstalled, "needs axe-core-python"), arguments: ["zh", "en"])
  func `a reader without a day and the status page violate no rule of axe-core`(
    language: String
  ) async throws {
    var plan = ReaderStub.Plan()
    plan.latest = (404, "{}")
    plan.hidesFirstScreen = true
    let stub = try ReaderStub(plan)
    defer { stub.stop() }
    try await audit(stub.address, language: language, until: "#page-today .empty")

    let served = try await ServeProgram.sample(days: 1)
    defer { served.child.stop() }
    try await audit(served.url("/status"), language: language, until: "table, svg")
  }

  @Test(.enabled(if: AxeCore.isInstalled && Tool.isBuilt, "needs axe-core-python"))
  func `the pages of an export violate no rule of axe-core`() async throws {
    let (cache, out) = (try Scratch(), try Scratch())
    let outcome = try await Tool.imgcache.run([
      "prefetch", "--quiet", "--sample", "--days", "2", "--bodies", "--export", out / "days",
      "--cache-dir", cache / "cache",
    ])
    try #require(outcome.status == 0, "\(outcome.errors)")
    let day = try #require(
      try FileManager.default.contentsOfDirectory(atPath: out / "days").first { $0.count == 8 })
    for file in ["index.html", "\(day)/index.html"] {
      try await audit("file://" + out / "days/\(file)", until: "article")
    }
  }
}
