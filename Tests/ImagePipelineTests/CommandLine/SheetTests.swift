import ImageCodecs
import ImageFeeds
import ImageModel
import Testing

@testable import imgcache

@Suite struct `The layout of a sheet` {
  static let boxes = [(16, 16), (200, 200), (320, 180)].map { PixelSize(width: $0.0, height: $0.1) }

  @Test(arguments: Self.boxes, [nil, 1, 3, 50])
  func `places and captions lie on the page and never on each other`(
    box: PixelSize, columns: Int?
  ) {
    for count in [1, 2, 3, 4, 5, 11, 12, 13, 99, 200] {
      let layout = SheetLayout(count: count, box: box, columns: columns)
      var taken: Set<[Int]> = []
      for index in 0..<count {
        let (left, top) = layout.origin(of: index)
        let last = layout.origin(ofLine: SheetLayout.captionLines - 1, under: index)
        let bottom = last.top + 9 * layout.captionDot
        #expect(left >= SheetLayout.margin && top > SheetLayout.margin + 14)
        #expect(left + box.width + SheetLayout.margin <= layout.size.width)
        #expect(bottom <= layout.size.height)
        #expect(last.top > top + box.height)
        #expect(taken.insert([left, top]).inserted)
        // The next row begins below the caption, the next column beside the picture.
        if index + layout.columns < count {
          #expect(layout.origin(of: index + layout.columns).top >= bottom)
        }
        if index + 1 < count, (index + 1) % layout.columns != 0 {
          #expect(layout.origin(of: index + 1).left >= left + box.width + SheetLayout.gap)
        }
      }
      #expect(layout.columns * layout.rows >= count && layout.columns * (layout.rows - 1) < count)
    }
  }

  @Test func `a page is somewhat wider than high`() {
    for count in 4...200 {
      let layout = SheetLayout(count: count, box: PixelSize(width: 200, height: 200))
      #expect((1.0...2.2).contains(Double(layout.columns) / Double(layout.rows)), "\(count)")
    }
  }
}

@Suite struct `A page of a sheet` {
  private let layout = SheetLayout(count: 2, box: PixelSize(width: 40, height: 30), columns: 2)

  @Test func `a picture lies in the middle of its place, opaque or not`() {
    var page = SheetPage(layout, heading: "", background: .white)

    page.place(SampleImages.flat(20, 10, [255, 0, 0, 255]), caption: [], at: 0)
    page.place(SampleImages.flat(40, 30, [0, 0, 255, 0]), caption: [], at: 1)

    let (left, top) = layout.origin(of: 0)
    #expect(page.pixels[left + 10, top + 10] == [255, 0, 0, 255])
    #expect(page.pixels[left + 29, top + 19] == [255, 0, 0, 255])
    #expect(page.pixels[left + 9, top + 10] == [255, 255, 255, 255])
    #expect(page.pixels[left + 30, top + 19] == [255, 255, 255, 255])
    let clear = layout.origin(of: 1)
    #expect(page.pixels[clear.left + 20, clear.top + 15] == [255, 255, 255, 255])
  }

  @Test func `a picture that is missing is a crossed box`() {
    var page = SheetPage(layout, heading: "", background: .black)

    page.place(nil, caption: [], at: 1)

    let (left, top) = layout.origin(of: 1)
    for (x, y) in [(0, 0), (39, 0), (0, 29), (39, 29), (39, 12), (20, 15)] {
      #expect(page.pixels[left + x, top + y] != [0, 0, 0, 255], "\(x), \(y)")
    }
    #expect(page.pixels[left + 20, top + 5] == [0, 0, 0, 255])
  }

  @Test(arguments: [PixelColor.white, .black, PixelColor(red: 0, green: 0, blue: 90, alpha: 7)])
  func `captions can be read on any ground, and nothing of the page is transparent`(
    ground: PixelColor
  ) {
    var page = SheetPage(layout, heading: "2020-06-16", background: ground)
    let empty = SheetPage(layout, heading: "", background: ground).pixels

    page.place(nil, caption: ["story 1-0", "missing"], at: 0)

    #expect(
      stride(from: 3, to: page.pixels.bytes.count, by: 4).allSatisfy {
        page.pixels.bytes[$0] == 255
      })
    let line = layout.origin(ofLine: 0, under: 0)
    var contrast = 0
    for y in line.top..<line.top + 7 {
      for x in line.left..<line.left + 40 {
        let (written, plain) = (page.pixels[x, y], empty[x, y])
        contrast = max(contrast, abs(Int(written[1]) - Int(plain[1])))
      }
    }
    #expect(contrast > 180)
  }

  @Test func `a long text is cut with a mark and stays in its column`() {
    let text = String(repeating: "W", count: 500)
    var page = SheetPage(layout, heading: text, background: .white)

    page.place(nil, caption: [text, "a\u{1B}[2J\n加载"], at: 0)

    #expect(SheetPage.cut(text, 5) == "WWWW…" && SheetPage.cut("ab", 2) == "ab")
    let line = layout.origin(ofLine: 0, under: 0)
    for y in line.top..<line.top + 9 {
      for x in line.left + 40..<line.left + 40 + SheetLayout.gap {
        #expect(page.pixels[x, y] == [255, 255, 255, 255])
      }
    }
  }
}

@Suite struct `The names on a sheet` {
  @Test(arguments: [
    ("day.png", ImageFormat.png), ("a/b.c/day.JPG", .jpeg), ("x.jpeg", .jpeg), ("./x.y.png", .png),
  ])
  func `the extension says the format`(path: String, format: ImageFormat) throws {
    #expect(try SheetFile(path).format == format)
  }

  @Test(arguments: ["day", "day.gif", "png", "a.png/day", "day.", "-"])
  func `any other is refused`(path: String) {
    #expect(throws: ImageError.self) { try SheetFile(path) }
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

  @Test func `a caption tells which image and what it is`() throws {
    let image = FeedImage(
      url: "https://a.example/b.jpg", role: .topStory, storyID: "9776089", index: 2)
    let day = try #require(DayKey("20200616"))
    let info = ImageInfo(
      format: .gif, size: PixelSize(width: 150, height: 90), colorModel: .palette)
    var moving = info
    moving.rawDelays = [.zero, .zero]

    #expect(SheetItem(image, on: day, namingDay: false).name == "top 9776089-2")
    #expect(SheetItem(image, on: day, namingDay: true).name == "20200616 top 9776089-2")
    #expect(SheetItem(url: "https://a.example/x/y.jpg?s=1#f").name == "y.jpg")
    #expect(SheetItem(url: "https://a.example/").name == "a.example")
    #expect(SheetItem.facts(info, byteCount: 2048) == "150x90 gif 2 KiB")
    #expect(SheetItem.facts(moving, byteCount: 10) == "150x90 gif 10 B 2 frames")
    #expect(SheetItem.facts(ImageError(.notCached, "")) == "missing: not_cached")
  }
}
