import Testing

@testable import TestSupport

/// What the page says of numbers and months, and how a picture is zoomed, in a browser.
@Suite(.needsBrowser)
struct `The page's words and figures` {
  @Test func `numbers, months and keys are as a reader of the language writes them`() async throws {
    try await PageModel.expect([
      // Sizes have three digits at most and their unit.
      "[0, 1, 1023, 1024, 1536, 10239, 1048575, 27 * 1048576, 1e18].map((n) => bytesText(n, 'en'))":
        "['0 B','1 B','1,023 B','1 KiB','1.5 KiB','10 KiB','1 MiB','27 MiB','888 PiB']",
      "[-5, 1536].map((n) => bytesText(n, 'zh'))": "['0 B','1.5 KiB']",
      // A part reads neither 0% nor 100% where it is not.
      "[[0, 5], [5, 5], [1, 1e6], [999999, 1e6], [1, 3]].map(([a, b]) => shareText(shareOf(a, b), 'en'))":
        "['0%','100%','0.1%','99.9%','33.3%']", "shareOf(0, 0)": "null",
      "[0.0004, 0.028, 0.458, 1.25].map((s) => secondsText(s, 'en'))":
        "['0.4 ms','28 ms','458 ms','1.3 s']",
      // A month has its weeks, from Monday or Sunday.
      "weeksOf('202609', 'zh').length": "5",
      "weeksOf('202609', 'zh')[0]":
        "[null,'20260901','20260902','20260903','20260904','20260905','20260906']",
      "weeksOf('202609', 'en')[0]":
        "[null,null,'20260901','20260902','20260903','20260904','20260905']",
      "weeksOf('202402', 'en').flat().filter(Boolean).length": "29",
      "weekdays('zh').map(([name]) => name).join('')": "'一二三四五六日'",
      "weekdays('en').map(([name]) => name).join(' ')": "'Su Mo Tu We Th Fr Sa'",
      "['zh', 'en'].map((language) => monthLabel('202609', language))": "['2026年9月','Sep 2026']",
      // Keys lead from day to day, and only known months are turned to.
      "['ArrowLeft', 'ArrowRight', 'ArrowUp', 'ArrowDown', 'Home', 'End', 'x'].map((key) => dayByKey('20240301', key))":
        "['20240229','20240302','20240223','20240308','20240301','20240331',null]",
      "monthsOf(['20260901', '20250102', '20260902'])": "['202501','202609']",
      "[-1, 1].map((step) => monthBeside('202609', ['202501', '202609'], step))": "['202501',null]",
      "[-1, 1].map((step) => monthBeside('202605', ['202501', '202609'], step))":
        "['202501','202609']",
      "[-1, 1].map((step) => monthBeside('202605', [], step))": "[null,null]",
    ])
  }

  @Test func `a picture fits, comes near about a place, and never leaves the view`() async throws {
    let zoom =
      "Object.assign(new Zoom({ width: 300, height: 200 }, { width: 300, height: 400 }), {})"
    try await PageModel.expect([
      "fitted({ width: 3000, height: 1500 }, { width: 300, height: 400 })":
        "{'width':300,'height':150}",
      "fitted({ width: 10, height: 10 }, { width: 300, height: 400 })": "{'width':25,'height':25}",
      "(() => { const zoom = \(zoom); zoom.by(2, 100, 0); return [zoom.scale, zoom.x, zoom.y]; })()":
        "[2,-100,0]",
      "(() => { const zoom = \(zoom); zoom.by(100); zoom.move(1e9, -1e9); return [zoom.scale, zoom.x, zoom.y]; })()":
        "[8,1050,-600]",
      "(() => { const zoom = \(zoom); zoom.by(3, 50, 0); zoom.by(0.01); return [zoom.scale, zoom.x, zoom.y, zoom.isWhole]; })()":
        "[1,0,0,true]",
      "[[-60, 5], [60, 5], [40, 0], [0, 120], [0, -120], [60, 60]].map(([x, y]) => swipe(x, y))":
        "[1,-1,null,'close',null,null]",
    ])
  }
}
