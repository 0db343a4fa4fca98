import Foundation
import Testing

@testable import ImageFeeds
@testable import ImagePipeline
@testable import ThumbnailServer

/// The script of the page is held against what the Swift values answer, in the browser that it is written for.
@Suite(.serialized, .enabled(if: Browser.isWanted, "IMGCACHE_BROWSER=none"))
struct `The page's model` {
  @Test func `the script answers what the Swift values answer`() async throws {
    let stub = try ReaderStub(.init(days: []))
    defer { stub.stop() }
    let page = try await BrowserPage()
    try await page.go(to: stub.origin + "/reader/icon.svg")
    try await page.wait(until: "location.pathname === '/reader/icon.svg'")

    // A file of its own answers with the tables: the vectors go in with the question.
    let outcome = try await page.text(
      """
      (async () => {
        const model = await import('/reader/model.js');
        const vectors = \(try ReaderVectors.json());
        \(Self.machines)
        const same = (a, b) => JSON.stringify(a) === JSON.stringify(b)
          || (typeof a === 'number' && typeof b === 'number' && a === b);
        const faults = [];
        let count = 0;
        for (const [name, cases] of Object.entries(vectors)) {
          const ask = machines[name] ?? model[name];
          if (!ask) { faults.push(`the script has no ${name}`); continue; }
          for (const { in: input, out } of cases) {
            count += 1;
            const answer = ask(...input) ?? null;
            if (!same(answer, out)) {
              faults.push(`${name}(${JSON.stringify(input)}) is ${JSON.stringify(answer)}, not ${JSON.stringify(out)}`);
            }
          }
        }
        return `${count} ${faults.slice(0, 10).join('\\n')}`;
      })()
      """)

    let count = Int(outcome.prefix { $0.isNumber }) ?? 0
    #expect(count > 2000)
    #expect(outcome == "\(count) ")
    try await page.close()
  }

  @Test func `the script shows a ThumbHash as the library does`() async throws {
    let stub = try ReaderStub(.init(days: []))
    defer { stub.stop() }
    let page = try await BrowserPage()
    try await page.go(to: stub.origin + "/reader/icon.svg")
    try await page.wait(until: "location.pathname === '/reader/icon.svg'")
    let pictures = [
      SampleImages.gradient(60, 40), SampleImages.translucent(30, 45),
      SampleImages.quarters(90, 90),
    ]
    for picture in pictures {
      let hash = try ThumbHash(of: picture)
      let expected = hash.picture()

      // One step of a sample apart: the two round halves differently.
      let shown = try await page.text(
        """
        (async () => {
          const { thumbHashPicture } = await import('/reader/thumbhash.js');
          const expected = \(expected.bytes);
          const { width, height, rgba } = thumbHashPicture('\(Data(hash.bytes).base64EncodedString())');
          const far = Math.max(...expected.map((sample, at) => Math.abs(sample - rgba[at])));
          return `${width}x${height} ${rgba.length} ${far <= 1}`;
        })()
        """)

      #expect(
        shown
          == "\(expected.size.width)x\(expected.size.height) \(expected.bytes.count) true")
    }
    let none = try await page.text(
      """
      (async () => {
        const { thumbHashPicture } = await import('/reader/thumbhash.js');
        return ['', '%', 'AAAA', 'AAAAAAA=', '////////'].map((text) => thumbHashPicture(text)).join();
      })()
      """)
    #expect(none == ",,,,")
    try await page.close()
  }

  /// Leads the script's state machines through the events that the Swift ones were led through.
  private static let machines = """
    const each = (events, act) => events.map(([kind, ...rest]) => act(kind, ...rest));
    const machines = {
      pullRefresh(events) {
        const header = new model.PullRefresh();
        return each(events, (kind, ...rest) => {
          let triggered = null;
          if (kind === 'scroll') header.scrolled(...rest);
          else if (kind === 'release') triggered = header.released(...rest);
          else header.finished();
          return [header.state, header.inset, header.arrowAngle, header.hidesArrow, header.text, triggered];
        });
      },
      refreshRing(events) {
        const ring = new model.RefreshRing();
        return each(events, (kind, ...rest) => {
          const offset = rest.pop();
          let answer = null;
          if (kind === 'scroll') answer = ring.scrolled(...rest);
          else if (kind === 'end') answer = ring.end(...rest);
          else ring.stopped();
          return [ring.isRefreshing, ring.progress(offset), answer];
        });
      },
      loadBefore(events) {
        const list = new model.LoadBefore();
        return each(events, (kind, ...rest) => {
          const asks = kind === 'scroll' ? list.scrolled(...rest) : (list.finished(...rest), null);
          return [list.isLoading, list.isAtEnd, asks];
        });
      },
      carouselTimer(count, interval, events) {
        const timer = new model.CarouselTimer(count, interval);
        return each(events, (kind, now) => {
          let steps = null;
          if (kind === 'start') timer.start(now);
          else if (kind === 'stop') timer.stop();
          else if (kind === 'rest') timer.cameToRest(now);
          else steps = timer.takesStep(now);
          return [timer.nextStep, steps];
        });
      },
      hudDisplay(events) {
        const display = new model.HUDDisplay();
        return each(events, (kind, ...rest) => {
          const now = rest[rest.length - 1];
          if (kind === 'show') display.show(now);
          else if (kind === 'text') display.showText(...rest);
          else if (kind === 'finish') display.finish(now);
          return display.opacity(now);
        });
      },
    };
    """
}
