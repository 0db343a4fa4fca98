import Foundation
import Testing

@testable import ImageFeeds
@testable import TestSupport

/// What ends up in an export: names from hostile titles, memory for many, pages to look at.
@Suite(.serialized, .needsProgram, .timeLimit(.minutes(15)))
struct `Contents of exports` {
  private static let hostileTitles = [
    "../../outside", "/etc/passwd", "a\\..\\b", "nul\u{0}l", "CON", "aux.txt", "..", ".", "",
    " . ", "index", "Index", "INDEX", "same", "same", "Same ", "same.", "a\u{202E}gpj.exe",
    "\u{200F}\u{2066}x\u{2069}", "e\u{301}", "\u{E9}", "tab\tline\nend", "<b>x</b>", "~", "-rf",
    "$(x) `y` ;z", "%2e%2e%2f", "图：一/二", "👩‍👩‍👧", String(repeating: "长", count: 10_000),
    String(repeating: "a\u{301}", count: 10_000), String(repeating: "../", count: 4000),
    "İ", "i̇", "ß", "SS", "thumbs", "index.html", "index.json",
  ]

  private static func isSafe(_ name: String) -> Bool {
    name.utf8.count <= 255 && !name.hasPrefix(".") && !name.hasPrefix("-")
      && !name.contains { "/\\<>:\"|?*".contains($0) || $0 == " " && name.hasSuffix(" ") }
      && !name.unicodeScalars.contains {
        $0.value < 0x20 || $0.value == 0x7F || (0x200E...0x200F).contains($0.value)
          || (0x202A...0x202E).contains($0.value) || (0x2066...0x2069).contains($0.value)
      }
  }

  private static let hostileIDs = [
    "../../x", "/etc/passwd", "..", ".", "a/b", "a\\b", "nul\u{1}l", "図", "CON",
    String(repeating: "x", count: 5000), "a b", "a?b", "index.json",
  ]

  @Test func `hostile texts make different names in the folder of the day`() async throws {
    let titles = Self.hostileTitles
    let origin = try FeedOrigin(images: titles.indices.map { "p\($0)" })
    defer { origin.stop() }
    let (cache, out) = (try Scratch(), try Scratch())
    let items = titles.enumerated().map { number, title -> [String: Any] in
      [
        "id": number < Self.hostileIDs.count ? Self.hostileIDs[number] : "i\(number)",
        "title": title, "date_published": "2020-06-16", "image": origin.image("p\(number)"),
      ]
    }
    origin.origin["/feed.json"] = [
      .whole([UInt8](try JSONSerialization.data(withJSONObject: ["items": items])))
    ]
    let titled = ["--export-names", "{title}"]

    for (target, options) in [("titles", titled), ("titles.zip", titled), ("identifiers", [])] {
      let report = try await Tool.prefetch(
        cache, ["--feed", origin.url("/feed.json"), "--export", out / target] + options)

      #expect(report.status == 0, "\(report.errors)")
      var names = try FileManager.default.subpathsOfDirectory(atPath: out.path)
        .filter { $0.hasPrefix(target + "/") }.map { String($0.dropFirst(target.count + 1)) }
      if target.hasSuffix(".zip") {
        let script =
          "import sys, zipfile; print('\\0'.join(zipfile.ZipFile(sys.argv[1]).namelist()))"
        let outcome = try await Tool(path: "python3").run(
          ["-X", "utf8", "-c", script, out / target])
        names = outcome.output.dropLast().split(separator: "\0").map(String.init)
      }
      let files = names.filter { $0.hasPrefix("20200616/") }.map { String($0.dropFirst(9)) }
      #expect(
        Set(names).subtracting(files.map { "20200616/" + $0 }).subtracting(["20200616"])
          == ["index.html"])
      #expect(files.count == titles.count + 2)
      #expect(files.filter { !Self.isSafe($0) } == [])
      // As NTFS, FAT and APFS compare them.
      let folded = files.map { $0.precomposedStringWithCanonicalMapping.uppercased().lowercased() }
      #expect(Set(folded).count == files.count)
      let isPlain = files.allSatisfy {
        $0.utf8.count < 120 && !$0.utf8.contains { $0 <= 0x20 || $0 >= 0x7F }
      }
      #expect(target != "identifiers" || isPlain)
    }
    #expect(out.names() == ["identifiers", "titles", "titles.zip"])
  }

  /// The most memory that a prefetch with an export takes, in bytes.
  private func peakMemory(days: Int, of origin: FeedOrigin, to target: String) async throws -> Int {
    let (cache, out) = (try Scratch(), try Scratch())
    let script = """
      import resource, subprocess, sys
      status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
      assert status == 0, status
      print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
      """
    let outcome = try await Tool(path: "python3").run([
      "-c", script, Tool.imgcache.path, "prefetch", "--cache-dir", cache / "cache", "--check",
      "none", "--feed", origin.url("/feed.json"), "20200601...202006\(days < 10 ? "0" : "")\(days)",
      "--export", out / target,
    ])
    #expect(outcome.status == 0, "\(outcome.errors)")
    // Linux counts KiB, macOS bytes.
    #if canImport(Darwin)
      let unit = 1
    #else
      let unit = 1024
    #endif
    return try #require(Int(outcome.output.dropLast())) * unit
  }

  @Test(arguments: ["days", "days.zip"])
  func `memory does not grow with the bytes of an export`(target: String) async throws {
    let dayCount = CampaignSize.isFull ? 30 : 6
    let origin = try FeedOrigin(images: [])
    defer { origin.stop() }
    var items: [[String: Any]] = []
    // 60 KB that differ, so that the cache keeps each of them.
    let body = try FeedOrigin.image("x") + [UInt8](repeating: 7, count: 60_000)
    for day in 1...dayCount {
      for number in 0..<100 {
        let path = "/\(day)-\(number).png"
        origin.origin[path] = [
          .whole(body + Array(path.utf8), fields: ["Cache-Control: max-age=3600"])
        ]
        items.append([
          "id": path, "title": "t", "image": origin.url(path),
          "date_published": "2020-06-\(day < 10 ? "0" : "")\(day)",
        ])
      }
    }
    origin.origin["/feed.json"] = [
      .whole([UInt8](try JSONSerialization.data(withJSONObject: ["items": items])))
    ]

    let few = try await peakMemory(days: 1, of: origin, to: target)
    let many = try await peakMemory(days: dayCount, of: origin, to: target)

    // Their facts take memory, about 4 KB an image; their bytes would be 60 KB.
    #expect(many - few < dayCount * 100 * 20_000, "\(few) and \(many) bytes")
  }

  @Test(.needsBrowser)
  func `a page opened as a file has a viewer for the keyboard, and nothing fails`() async throws {
    let (cache, out) = (try Scratch(), try Scratch())
    _ = try await Tool.prefetch(
      cache, ["--sample", "20260110", "--bodies", "--export", out / "days"])
    let page = try await BrowserPage()

    try await page.go(to: "file://\(out / "days/20260110/index.html")")
    try await page.wait(
      until: "document.readyState === 'complete' && document.querySelector('.text a.zoom')")
    try await page.value("document.querySelector('a.zoom').focus()")
    try await page.value("document.activeElement.click()")
    try await page.wait(until: "document.querySelector('#viewer[open] img').naturalWidth > 0")
    try await page.key("ArrowRight", code: 39)
    try await page.wait(until: "document.querySelector('.place').textContent.startsWith('2 / ')")
    try await page.key("Escape", code: 27)
    try await page.wait(until: "!document.querySelector('#viewer').open")

    try await page.expect(
      value: "document.activeElement === document.querySelector('a.zoom')", .bool(true))
    #expect(page.faults() == [])
    #expect(page.requests().allSatisfy { $0.hasPrefix("file://") })
    try await page.close()
  }
}
