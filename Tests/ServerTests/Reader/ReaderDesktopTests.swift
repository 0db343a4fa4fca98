import Testing

@testable import ImageFeeds
@testable import ImagePipeline
@testable import ThumbnailServer
@testable import TestSupport

/// The reader on screens that are wider than a phone's.
@Suite(.serialized, .needsBrowser)
struct `The reader on a desktop`: ReaderVisiting {
  private static let columns =
    "new Set($$('[data-day=\"20260901\"] .row').map((row) => row.getBoundingClientRect().left)).size"

  @Test(arguments: [(899, 1), (900, 2), (1100, 3), (1920, 3)])
  func `stories are in columns, and a list is as high as its rows`(width: Int, columns: Int)
    async throws
  {
    try await reading(size: (width, 800)) { page, _ in
      try await page.expect(number: Self.columns, Double(columns))
      try await page.expect(
        value: """
          (() => { const chunk = $('[data-day="20260901"] .chunk').getBoundingClientRect();
            const rows = $$('[data-day="20260901"] .row');
            const last = Math.max(...rows.map((row) => row.getBoundingClientRect().bottom));
            return last <= chunk.bottom && chunk.bottom - last < 20; })()
          """, .bool(true))
    }
  }

  @Test func `pictures and scroll bars move nothing, and the hero is whole`() async throws {
    try await reading(size: (1280, 800)) { page, _ in
      // A title is where it will be before its picture has come.
      try await page.expect(
        value: """
          (() => { const row = $('.row:not(.full)');
            const place = () => { const { left, width } = row.querySelector('.open').getBoundingClientRect();
              return [left, width].join(); };
            const [before, picture] = [place(), row.querySelector('.zoom')];
            picture.remove();
            const without = place();
            row.append(picture);
            return before === without; })()
          """, .bool(true))
      // A list that grows gets a scroll bar, which has its room from the start.
      try await page.expect(
        value: """
          (() => { const list = $('#page-today');
            const inner = list.querySelector('.inner');
            const whole = inner.getBoundingClientRect().left;
            inner.style.cssText = 'height: 9px; min-height: 0; overflow: hidden';
            const empty = inner.getBoundingClientRect().left;
            const isShort = list.scrollHeight <= list.clientHeight;
            inner.style.cssText = '';
            return isShort && list.scrollHeight > list.clientHeight && whole === empty
              && innerWidth > list.clientWidth; })()
          """, .bool(true))
      // The square picture of the hero is beside its title.
      try await page.expect(
        text: """
          (() => { const slide = $$('.slide')[1];
            const [image, words] = ['img', '.words'].map((name) => slide.querySelector(name).getBoundingClientRect());
            return [image.width === image.height, words.left >= image.right,
              getComputedStyle(slide.querySelector('img')).objectFit].join(); })()
          """, "true,true,contain")
    }
  }

  @Test(arguments: [(667, 375), (844, 390), (932, 430), (768, 1024), (899, 600)])
  func `the hero leaves half of the page to stories, and its shade is on it alone`(
    width: Int, height: Int
  ) async throws {
    try await reading(size: (width, height), allowsShift: true) { page, _ in
      try await page.expect(
        value: """
          (() => { const banner = $('.banner').getBoundingClientRect();
            const tabs = $('#tabs').getBoundingClientRect();
            const room = tabs.top > banner.top ? tabs.top : innerHeight;
            return banner.height <= (innerHeight - 52) / 2 + 1 && room - banner.bottom > 60; })()
          """, .bool(true))
      // Title and author are whole, and below the bar's buttons.
      try await page.expect(
        value: """
          (() => { const slide = $$('.slide')[1];
            const box = slide.getBoundingClientRect();
            return [...slide.querySelectorAll('strong, .hint')].every((text) => {
              const { top, bottom } = text.getBoundingClientRect();
              return top >= Math.max(box.top, 54) && bottom <= box.bottom; }); })()
          """, .bool(true))
      // What is darkened is no wider than the banner, but for the room of scroll bars.
      try await page.expect(
        value: """
          (() => { const style = getComputedStyle($('#bar'), '::before');
            const banner = $('.banner').getBoundingClientRect();
            return style.display === 'none' || parseFloat(style.left) >= banner.left - 16
              && innerWidth - parseFloat(style.right) <= banner.right + 16; })()
          """, .bool(true))
    }
  }

  @Test func `the tabs are in the bar, beside the title in its middle`() async throws {
    try await reading(size: (900, 800)) { page, _ in
      try await page.expect(
        text: """
          (() => { const box = (name) => $(name).getBoundingClientRect();
            const title = document.createRange();
            title.selectNodeContents($('#bar h1'));
            const { left, right } = title.getBoundingClientRect();
            return [box('#tabs').bottom <= box('#bar').bottom, box('#tabs').right <= left,
              right <= box('#search').left, Math.abs((left + right) / 2 - 450) < 1].join(); })()
          """, "true,true,true,true")
      try await page.value("$('#tab-favourites').click()")
      try await page.wait(
        until: """
          Math.abs($('.indicator').getBoundingClientRect().left
            - $('#tab-favourites').getBoundingClientRect().left) < 1
          """)
    }
  }
}
