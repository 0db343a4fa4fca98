import ImageCodecs
import ImageFeeds
import ImageModel
import Testing
import Typesetting

@testable import imgcache
@testable import TestSupport

@Suite struct `The layout of a sheet` {
  static let boxes = [(16, 16), (200, 200), (320, 180)].map { PixelSize(width: $0.0, height: $0.1) }

  @Test(arguments: Self.boxes, [nil, 1, 3, 50])
  func `places and captions lie on the page and never on each other`(
    box: PixelSize, columns: Int?
  ) {
    for count in [1, 2, 3, 11, 12, 13, 60] {
      let layout = SheetLayout(count: count, box: box, columns: columns)
      let margin = Double(SheetLayout.margin)
      for index in 0..<count {
        let place = layout.place(of: index)
        let caption = layout.caption(of: index)
        let bottom = caption.y + caption.height
        #expect(place.x >= margin && place.y > margin + layout.headingSize)
        #expect(place.x + place.width + margin <= Double(layout.size.width))
        #expect(bottom <= Double(layout.size.height))
        #expect(caption.y >= place.y + place.height && caption.x == place.x)
        // The next row begins below the caption, the next column beside the image.
        if index + layout.columns < count {
          #expect(layout.place(of: index + layout.columns).y >= bottom)
        }
        if index + 1 < count, (index + 1) % layout.columns != 0 {
          #expect(layout.place(of: index + 1).x >= place.x + place.width + Double(layout.gap))
        }
      }
      #expect(layout.columns * layout.rows >= count && layout.columns * (layout.rows - 1) < count)
      if columns == nil, count > 3, box.height == 200 {
        #expect((1.0...2.2).contains(Double(layout.columns) / Double(layout.rows)), "\(count)")
      }
    }
  }
}

@Suite(.enabled(if: Fonts.canDraw, "needs Pango and a font")) struct `A page of a sheet` {
  private let layout = SheetLayout(count: 2, box: PixelSize(width: 120, height: 90), columns: 2)

  private func page(_ theme: SheetTheme, _ cells: [SheetCell]) throws -> PixelBuffer {
    let canvas = try Canvas(layout.size)
    let page = SheetPage(layout, on: canvas, heading: "一", subheading: "二", theme: theme)
    for (index, cell) in cells.enumerated() { page.place(cell, at: index) }
    return try canvas.pixels()
  }

  private func cell(_ image: PixelBuffer?, title: String = "题") -> SheetCell {
    SheetCell(
      item: .titled(title), image: image, details: "details", notice: "Not in the cache")
  }

  /// The largest difference of a channel between two pages within a box.
  private func contrast(_ one: PixelBuffer, _ other: PixelBuffer, _ box: CanvasBox) -> Int {
    var contrast = 0
    for y in Int(box.y)..<Int(box.y + box.height) {
      for x in Int(box.x)..<Int(box.x + box.width) {
        contrast = max(contrast, abs(Int(one[x, y][1]) - Int(other[x, y][1])))
      }
    }
    return contrast
  }

  @Test func `an image fills its place, but for the corners`() throws {
    let page = try page(.light, [cell(SampleImages.flat(120, 90, [255, 0, 0, 255]))])

    let place = layout.place(of: 0)
    let (left, top) = (Int(place.x), Int(place.y))
    for (x, y) in [(60, 0), (0, 45), (119, 45), (60, 89), (60, 45), (3, 3), (116, 86)] {
      #expect(page[left + x, top + y] == [255, 0, 0, 255], "\(x), \(y)")
    }
    #expect(page[left - 1, top + 45] == page[1, 1] && page[left + 120, top + 45] == page[1, 1])
  }

  @Test(arguments: [
    SheetTheme.dark, SheetTheme(.light, background: .black),
    SheetTheme(nil, background: PixelColor(red: 0, green: 0, blue: 90, alpha: 7)),
  ])
  func `titles can be read in any theme, and nothing of the page is transparent`(
    theme: SheetTheme
  ) throws {
    let page = try page(theme, [cell(nil, title: "WWW")])

    #expect(stride(from: 3, to: page.bytes.count, by: 4).allSatisfy { page.bytes[$0] == 255 })
    let empty = try self.page(theme, [])
    #expect(contrast(page, empty, layout.caption(of: 0)) > 150)
  }
}

extension SheetItem {
  /// An item of a day with a title.
  static func titled(
    _ title: String, id: String = "1", day: Int = 18_429, link: String? = nil,
    role: FeedImage.Role = .story
  ) -> SheetItem {
    let story = with(FeedStory(id: id, title: title)) { $0.url = link }
    let image = FeedImage(url: "https://a.example/\(id).jpg", role: role, storyID: id, index: 0)
    return SheetItem(image, of: story, on: DayKey(ordinal: day))
  }
}

@Suite struct `The names on a sheet` {
  @Test(arguments: [
    ("day.png", SheetFile.Format.image(.png)), ("a/b.c/day.JPG", .image(.jpeg)),
    ("x.jpeg", .image(.jpeg)), ("./x.y.webp", .image(.webp)), ("a.PDF", .pdf), ("a.html", .html),
    ("a.htm", .html),
  ])
  func `the extension says the format`(path: String, format: SheetFile.Format) throws {
    #expect(try SheetFile(path).format == format)
    for other in ["day", "day.gif", "png", "a.png/day", "day.", "-"] {
      #expect(throws: ImageError.self) { try SheetFile(other) }
    }
  }

  @Test func `one page has the name itself, several have numbers that sort`() throws {
    let file = try SheetFile("out.d/day.x.png")

    #expect(file.path(ofPage: 1, of: 1) == "out.d/day.x.png")
    #expect(file.path(ofPage: 1, of: 2) == "out.d/day.x-01.png")
    #expect(file.path(ofPage: 7, of: 1000) == "out.d/day.x-0007.png")
    for count in [2, 9, 10, 99, 100, 120] {
      let names = (1...count).map { file.path(ofPage: $0, of: count) }
      #expect(Set(names).count == count && names == names.sorted())
    }
  }

  @Test func `an item has its story's title, or the name of its file`() throws {
    let image = FeedImage(
      url: "https://a.example/b.jpg?x", role: .topStory, storyID: "9776089", index: 2)
    let day = try #require(DayKey("20200616"))

    #expect(SheetItem.titled(" 瞎扯 ").title == "瞎扯")
    #expect(SheetItem(image, of: FeedStory(id: "9776089"), on: day).title == "b.jpg")
    #expect(SheetItem(image, of: nil, on: day).title == "b.jpg")
    #expect(SheetItem(url: "https://a.example/x/y.jpg?s=1#f").title == "y.jpg")
    #expect(SheetItem(url: "https://a.example/").title == "a.example")
    #expect(SheetItem.titled("a", link: "javascript:alert(1)").link == nil)
    #expect(SheetItem.titled("a", link: "https://a.example/").link == "https://a.example/")
  }
}

@Suite struct `The words of a sheet` {
  private let info = ImageInfo(
    format: .gif, size: PixelSize(width: 150, height: 90), colorModel: .palette)

  @Test func `are Chinese where the titles are`() throws {
    let words = SheetWords([.titled("瞎扯"), .titled("大误", id: "2", role: .topStory)])

    #expect(words.language == "zh-CN")
    #expect(words.heading == "2020年6月16日 星期二")
    #expect(words.subheading(page: 1, of: 2) == "2 篇文章 · 2 张图片 · 第 1 页，共 2 页")
    #expect(
      words.details(.titled("", role: .topStory), info, byteCount: 2048)
        == "头条 · 150×90 GIF · 2 KiB")
    let error = ImageError(.notCached, "")
    #expect(words.notice(error) == "尚未缓存")
    #expect(words.details(.titled(""), error, hasPlaceholder: false) == "a.example")
    #expect(words.details(.titled(""), error, hasPlaceholder: true) == "尚未缓存")
    #expect(words.notice(ImageError(.httpStatus, "", status: 404)) == "服务器返回 404")
  }

  @Test func `are English elsewhere, and name the days of several`() throws {
    let words = SheetWords([SheetItem.titled("One"), .titled("Two", day: 18_431)])
    let single = SheetWords([SheetItem(url: "https://a.example/")])
    let moving = with(info) { $0.rawDelays = [.zero, .zero] }

    #expect(words.language == "en" && words.heading == "June 16, 2020 – June 18, 2020")
    #expect(words.subheading(page: 1, of: 1) == "2 stories · 2 images")
    #expect(
      words.details(.titled("One"), moving, byteCount: 10)
        == "2020-06-16 · 150×90 GIF · 10 B · 2 frames")
    #expect(single.heading == "1 image" && single.subheading(page: 1, of: 1) == "")
  }
}

@Suite struct `A sheet as HTML` {
  private func document(_ cells: [SheetCell]) throws -> String {
    var document = SheetDocument(
      SheetWords(cells.map(\.item)), box: PixelSize(width: 200, height: 200), theme: nil,
      background: nil)
    for cell in cells { try document.add(cell, jpeg: cell.image == nil ? nil : [0xFF, 0xD8]) }
    return String(decoding: document.bytes, as: UTF8.self)
  }

  private func cell(_ item: SheetItem, _ image: PixelBuffer? = nil) -> SheetCell {
    SheetCell(item: item, image: image, details: "a < b", notice: "尚未缓存")
  }

  @Test func `needs no other file, and shows titles as text`() throws {
    let hostile =
      "<img src=x onerror=alert(1)> \"'&\u{202E}\u{0}" + String(repeating: "题", count: 10_000)
    let html = try document([
      cell(.titled(hostile, link: "https://a.example/?a=1&b=\"><script>")),
      cell(.titled("瞎扯"), SampleImages.flat(2, 2, [1, 2, 3, 255])),
    ])
    // Several days have a heading each.
    let days = try document([
      cell(.titled("One")), cell(.titled("Two")), cell(.titled("Three", day: 18_430)),
    ])

    #expect(html.hasPrefix("<!DOCTYPE html>\n<html lang=\"zh-CN\">") && html.hasSuffix("</html>\n"))
    #expect(html.contains("<h1>2020年6月16日 星期二</h1>"))
    #expect(html.contains("&lt;img src=x onerror=alert(1)&gt; &quot;&#39;&amp;题"))
    #expect(!html.contains("<script") && !html.contains("\u{202E}") && !html.contains("\u{0}"))
    #expect(html.contains(#"href="https://a.example/?a=1&amp;b=&quot;&gt;&lt;script&gt;""#))
    #expect(html.contains(#"src="data:image/jpeg;base64,/9g=""#))
    #expect(html.contains(#"<div class="missing">尚未缓存</div>"#))
    #expect(html.contains("<span>a &lt; b</span>"))
    #expect(html.utf8.count < 10_000)
    #expect(
      days.matches(of: /<h2>([^<]+)<\/h2>/).map { String($0.1) }
        == ["Tuesday, June 16, 2020", "Wednesday, June 17, 2020"])
  }
}
