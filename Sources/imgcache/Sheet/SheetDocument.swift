import ImageCodecs
import ImageFeeds
import ImageModel
import TextEncodings

/// A contact sheet as one HTML file that needs no other.
struct SheetDocument {
  /// The maximum bytes of a file, which is in memory: 256 MiB.
  static let maximumByteCount = 256 << 20

  private let words: SheetWords
  private var day: DayKey?
  private var html: [UInt8]

  /// - Parameter theme: `nil` for what the browser prefers.
  init(_ words: SheetWords, box: PixelSize, theme: SheetTheme.Name?, background: PixelColor?) {
    self.words = words
    let title = HTMLText.escaped(words.heading)
    html = Array(
      """
      <!DOCTYPE html>
      <html lang="\(words.language)">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
      <meta name="referrer" content="no-referrer">
      <title>\(title)</title>
      <style>
      \(Self.style(box, theme, background))
      </style>
      </head>
      <body>
      <header><h1>\(title)</h1><p>\(HTMLText.escaped(words.subheading(page: 1, of: 1)))</p></header>
      <main>

      """.utf8)
  }

  mutating func add(_ cell: SheetCell, jpeg: [UInt8]?) throws(ImageError) {
    if words.namesDays, let next = cell.item.day, next != day {
      day = next
      write("<h2>\(HTMLText.escaped(words.name(of: next)))</h2>\n")
    }
    let title = Self.inline(cell.item.title)
    let language = ExportWords.language(of: cell.item.title).map { " lang=\"\($0)\"" } ?? ""
    let link = cell.item.link.map {
      #"<a href="\#(HTMLText.escaped($0))" rel="noopener noreferrer">\#(title)</a>"#
    }
    write("<figure>")
    if let jpeg {
      write(#"<img alt="" loading="lazy" src="data:image/jpeg;base64,"#)
      write(Base64.encoded(jpeg))
      write("\">")
    } else {
      write(#"<div class="missing">\#(HTMLText.escaped(cell.notice))</div>"#)
    }
    write(
      """
      <figcaption><b dir="auto"\(language)>\(link ?? title)</b>\
      <span>\(HTMLText.escaped(cell.details))</span></figcaption></figure>

      """)
    guard html.count <= Self.maximumByteCount else {
      throw ImageError(
        .limitExceeded,
        "the sheet is more than \(ByteQuantity(Self.maximumByteCount)) of HTML; name fewer days or a smaller --cell"
      )
    }
  }

  var bytes: [UInt8] { html + Array("</main>\n</body>\n</html>\n".utf8) }

  private mutating func write(_ text: String) { html += text.utf8 }

  /// A title as markup: escaped, in bounds, without what changes the direction of the text around.
  private static func inline(_ title: String) -> String {
    let scalars = title.unicodeScalars.prefix(600).filter {
      !(0x202A...0x202E).contains($0.value) && !(0x2066...0x2069).contains($0.value)
    }
    return HTMLText.escaped(String(String.UnicodeScalarView(scalars)))
  }

  private static func style(
    _ box: PixelSize, _ name: SheetTheme.Name?, _ background: PixelColor?
  ) -> String {
    func colors(_ theme: SheetTheme) -> String {
      func hex(_ color: PixelColor) -> String {
        "#" + Hex.encoded([color.red, color.green, color.blue])
      }
      return
        "--paper:\(hex(theme.paper));--ink:\(hex(theme.ink));--muted:\(hex(theme.muted));--shade:\(hex(theme.shade))"
    }
    let chosen = ":root{\(colors(SheetTheme(name, background: background)))}"
    let preferred =
      name == nil && background == nil
      ? "\n@media (prefers-color-scheme:dark){:root{\(colors(.dark))}}" : ""
    return """
      \(chosen)\(preferred)
      *{box-sizing:border-box}
      body{margin:0;padding:clamp(16px,3vw,40px);background:var(--paper);color:var(--ink);font:15px/1.45 system-ui,-apple-system,"Noto Sans CJK SC","PingFang SC","Microsoft YaHei","WenQuanYi Micro Hei",sans-serif}
      header{margin:0 0 28px}
      h1{margin:0;font-size:clamp(22px,3vw,32px);line-height:1.25}
      h2{grid-column:1/-1;margin:20px 0 0;font-size:20px}
      p{margin:6px 0 0;color:var(--muted)}
      main{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(45%,\(box.width)px),1fr));gap:28px 20px}
      figure{margin:0;min-width:0}
      img,.missing{display:block;width:100%;aspect-ratio:\(box.width)/\(box.height);object-fit:cover;border-radius:8px;background:var(--shade)}
      .missing{display:grid;place-items:center;padding:12px;color:var(--muted);text-align:center}
      figcaption{margin-top:8px;overflow-wrap:anywhere}
      b{display:-webkit-box;-webkit-box-orient:vertical;-webkit-line-clamp:2;overflow:hidden;font-weight:600;line-height:1.4}
      b:focus-within{overflow:visible}
      span{display:block;margin-top:2px;color:var(--muted);font-size:12px}
      a{color:inherit;text-decoration:none}
      a:hover,a:focus-visible{text-decoration:underline;text-underline-offset:3px}
      @media print{figure{break-inside:avoid}}
      """
  }
}
