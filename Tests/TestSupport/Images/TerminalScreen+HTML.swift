import Foundation
import ImageCodecs
import ImageModel

extension TerminalScreen {
  /// The size of a cell in HTML, in pixels: that of ``PseudoTerminal``'s replies.
  private static let cell = PixelSize(width: 10, height: 20)
  private static let ground = 0x16181D
  private static let ink = 0xD7DAE0
  /// The first sixteen colours.
  private static let palette = [
    0x2B2F38, 0xF0716B, 0x7FC66E, 0xE2B93D, 0x6CA8F0, 0xC792EA, 0x5CC4C4, 0xC8CCD4,
    0x6B7280, 0xFF8F88, 0x9BDD8B, 0xF5D067, 0x8EBEFF, 0xDDB0F5, 0x7FDADA, 0xFFFFFF,
  ]

  /// The screen as an HTML document for a Chromium screenshot.
  ///
  /// - Parameters:
  ///   - title: A text in the frame above it; `nil` for no frame.
  ///   - rowCount: The rows to show. Default: all.
  func htmlPage(title: String? = nil, rowCount: Int? = nil) -> String {
    let bar = title.map { "<div class=bar><i></i><i></i><i></i>\(Self.escaped($0))</div>" } ?? ""
    return """
      <!DOCTYPE html><meta charset=utf-8><style>
      body{margin:0;background:\(Self.css(Self.ground))}
      .bar{height:32px;line-height:32px;text-align:center;font:13px/32px sans-serif;color:#9aa0ab;\
      background:#23262e}
      .bar i{float:left;width:11px;height:11px;border-radius:6px;margin:11px 0 0 10px;\
      background:#4a4f5a}
      .terminal{position:relative;margin:0;padding:12px;width:\(columns * Self.cell.width)px;\
      height:\((rowCount ?? rows) * Self.cell.height)px;overflow:hidden;color:\(Self.css(Self.ink));\
      font:16.6px/20px "DejaVu Sans Mono","Noto Sans Mono CJK SC","Noto Color Emoji",monospace}
      .terminal span{display:inline-block;height:20px;overflow:hidden;vertical-align:top}
      .terminal img{position:absolute}
      </style>\(bar)\(html(rowCount: rowCount))
      """
  }

  /// The screen as `<pre>` with a span for each run of equal cells; images of the graphics
  /// protocols lie above.
  func html(rowCount: Int? = nil) -> String {
    let text = lines.prefix(rowCount ?? rows).enumerated().map { index, line in
      html(line, cursor: showsCursor && index == row ? column : nil)
    }
    return "<pre class=terminal>\(text.joined(separator: "\n"))\(images)</pre>"
  }

  private func html(_ line: Row, cursor: Int?) -> String {
    var result = ""
    var run: (style: String, text: String, width: Int)?
    func close() {
      guard let run else { return }
      let width = run.width * Self.cell.width
      result += "<span style=\"width:\(width)px;\(run.style)\">\(run.text)</span>"
    }
    for (index, cell) in line.cells.enumerated() where cell.width > 0 {
      var shown = cell
      if index == cursor { shown.attributes.formSymmetricDifference(.inverse) }
      let style = Self.style(shown)
      let letter = "▀▄█".unicodeScalars.contains(cell.letter) ? " " : cell.letter
      var text = String(letter) + cell.marks
      text = Self.escaped(text)
      // A wide letter may come from a font of another width.
      if run?.style == style, cell.width == 1, let last = run {
        run = (style, last.text + text, last.width + 1)
      } else {
        close()
        run = (style, text, cell.width)
        if cell.width == 2 {
          close()
          run = nil
        }
      }
    }
    close()
    return result
  }

  private static func style(_ cell: Cell) -> String {
    var (front, back) = (rgb(cell.front) ?? ink, rgb(cell.back))
    if cell.attributes.contains(.inverse) { (front, back) = (back ?? ground, front) }
    switch cell.letter {
    case "▀", "▄":
      let (upper, lower) =
        cell.letter == "▀" ? (front, back ?? ground) : (back ?? ground, front)
      return "background:linear-gradient(\(css(upper)) 50%,\(css(lower)) 50%)"
    case "█": return "background:\(css(front))"
    default: break
    }
    var style = back.map { "background:\(css($0));" } ?? ""
    if front != ink { style += "color:\(css(front));" }
    if cell.attributes.contains(.bold) { style += "font-weight:bold;" }
    if cell.attributes.contains(.dim) { style += "opacity:.6;" }
    if cell.attributes.contains(.italic) { style += "font-style:italic;" }
    if cell.attributes.contains(.underlined) { style += "text-decoration:underline;" }
    return style
  }

  private static func rgb(_ color: Int?) -> Int? {
    guard let color, color >> 24 == 1 else { return color }
    let number = color & 255
    if number < 16 { return palette[number] }
    if number >= 232 { return (8 + 10 * (number - 232)) * 0x010101 }
    return [36, 6, 1].reduce(0) { result, step in
      let level = (number - 16) / step % 6
      return result << 8 | (level == 0 ? 0 : 55 + 40 * level)
    }
  }

  private static func css(_ color: Int) -> String {
    let digits = String(color, radix: 16)
    return "#" + String(repeating: "0", count: 6 - digits.count) + digits
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }

  // MARK: Images

  /// The images of kitty and sixel commands; a later one with the same place replaces the former.
  private var images: String {
    var (elements, places): ([String: String], [String]) = ([:], [])
    var pending: (command: Command, keys: Set<Substring>, text: String)?
    for command in commands {
      var (png, command, rowCount) = ("", command, Int?.none)
      if command.kind == "P" {
        guard let bytes = try? Self.png(SixelPicture(command.body)) else { continue }
        png = Data(bytes).base64EncodedString()
      } else if command.kind == "_", command.body.hasPrefix("G") {
        let parts = command.body.dropFirst().split(separator: ";", maxSplits: 1)
        let keys = Set(parts[0].split(separator: ","))
        if keys.contains("a=T") { pending = (command, keys, "") }
        if keys.contains("a=d") { (elements, places) = ([:], []) }
        pending?.text += parts.count > 1 ? parts[1] : ""
        guard let whole = pending, keys.contains("m=0") else { continue }
        (png, command, pending) = (whole.text, whole.command, nil)
        rowCount = whole.keys.first { $0.hasPrefix("r=") }.flatMap { Int($0.dropFirst(2)) }
      } else {
        continue
      }
      let top = (command.row + command.scrolledCount - scrolledCount) * Self.cell.height + 12
      let place = "left:\(command.column * Self.cell.width + 12)px;top:\(top)px;"
      let height = rowCount.map { "height:\($0 * Self.cell.height)px" } ?? ""
      if elements[place] == nil { places.append(place) }
      elements[place] = "<img style=\"\(place)\(height)\" src=\"data:image/png;base64,\(png)\">"
    }
    return places.compactMap { elements[$0] }.joined()
  }

  private static func png(_ picture: SixelPicture) throws -> [UInt8] {
    var pixels = PixelBuffer(
      clear: PixelSize(width: max(1, picture.width), height: max(1, picture.height)))
    let rowByteCount = pixels.bytesPerRow
    pixels.withMutableBytes { raw in
      for (place, color) in picture.pixels
      where place[0] < picture.width
        && place[1] < picture.height && color >= 0
      {
        let at = place[1] * rowByteCount + 4 * place[0]
        for channel in 0..<3 {
          raw[at + channel] = UInt8((color >> (16 - 8 * channel) & 255) * 255 / 100)
        }
        raw[at + 3] = 255
      }
    }
    return try ImageCodecs.encodePNG(pixels)
  }
}
