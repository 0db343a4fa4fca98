import ImageCodecs
import ImageModel
import TextEncodings

/// Rewrites HTML so that it can be shown inside another page: everything that is not on the lists
/// is removed.
///
/// The text is parsed, never searched, and what is written is built from the parsed elements alone:
/// their names from `HTMLAllowance`, their attributes from its list, everything else escaped.
/// Scripts, styles, forms, frames, drawings (`svg`, `math`) and anything else that runs or loads
/// are removed with their contents; of other unknown elements the text stays. Images get the URLs
/// of the caller, and links lead only to http(s). An image in a `data:` URL stays if it is a
/// PNG, JPEG, GIF, WebP or AVIF. Comments are removed.
///
/// Source: OWASP, "Cross Site Scripting Prevention Cheat Sheet" (allow-lists, not block-lists);
/// Heiderich et al., "mXSS Attacks", 2013 (why `svg`, `math`, `noscript` and raw text go with what
/// is in them).
struct HTMLSanitizer {
  /// The most HTML that is taken, in bytes. What is written is at most some six times as long.
  static let maximumByteCount = 4 << 20
  /// Deeper elements leave their text.
  static let maximumDepth = 100
  /// Longer addresses are left out.
  static let maximumAddressByteCount = 8192

  private let base: String
  private let image: (String) -> PageImage?

  /// - Parameter image: Returns the replacement for the image of a URL; `nil` leaves it out.
  init(base: String, image: @escaping (_ url: String) -> PageImage?) {
    self.base = base
    self.image = image
  }

  /// - Throws: `ImageError` with code `tooLarge` for more than ``maximumByteCount``.
  func sanitized(_ html: String) throws(ImageError) -> String {
    guard html.utf8.count <= Self.maximumByteCount else {
      throw ImageError(
        .tooLarge,
        "the text has \(html.utf8.count) bytes, more than the \(Self.maximumByteCount) that are read"
      )
    }
    var writer = Writer()
    var images = ImageElements()
    try Markup.readHTML(html) { step in
      switch step {
      case .opens(let element):
        open(element, showing: images.open(element, base: base), in: &writer)
      case .text(let text): if writer.hiddenDepth == 0 { writer.output += HTMLText.escaped(text) }
      case .closes:
        images.close()
        writer.close()
      }
    }
    return writer.output
  }

  /// Elements that do not separate words.
  private static let inline: Set<String> = [
    "a", "abbr", "b", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "mark", "q", "rp",
    "rt", "ruby", "s", "samp", "small", "span", "strong", "sub", "sup", "time", "u", "var", "wbr",
  ]

  /// The text that ``sanitized(_:)`` shows; empty for more than ``maximumByteCount``.
  static func text(of html: String) -> String {
    var text = ""
    var separates: [Bool] = []
    var hiddenDepth = 0
    guard html.utf8.count <= maximumByteCount else { return text }
    try? Markup.readHTML(html) { step in
      switch step {
      case .opens(let element):
        if hiddenDepth > 0 || HTMLAllowance.removed.contains(element.name) { hiddenDepth += 1 }
        separates.append(!inline.contains(element.name))
        if separates.last == true { text += " " }
      case .text(let piece): if hiddenDepth == 0 { text += piece }
      case .closes:
        if hiddenDepth > 0 { hiddenDepth -= 1 }
        if separates.popLast() == true { text += " " }
      }
    }
    return text
  }

  private func open(_ element: MarkupElement, showing url: String?, in writer: inout Writer) {
    if writer.hiddenDepth > 0 || HTMLAllowance.removed.contains(element.name) {
      writer.hiddenDepth += 1
    } else if HTMLAllowance.removedVoids.contains(element.name) {
      writer.open(nil)
    } else if element.name == "img" || element.name == "amp-img" {
      if let url {
        writer.output += image(element, url) ?? ""
      } else if let embedded = PageImage(dataURL: element.attributes["src"] ?? "") {
        writer.output += tag(of: element, showing: embedded)
      }
      writer.open(nil)
    } else if HTMLAllowance.voids.contains(element.name) {
      writer.output += "<\(element.name)>"
      writer.open(nil)
    } else if HTMLAllowance.elements.contains(element.name),
      writer.writtenDepth < Self.maximumDepth
    {
      writer.output += "<\(element.name)\(attributes(of: element))>"
      writer.open(element.name)
      if let url { writer.output += image(element, url) ?? "" }
    } else {
      writer.open(nil)
    }
  }

  private func attributes(of element: MarkupElement) -> String {
    var written = ""
    // In order, so that equal pages give equal bytes.
    for (name, value) in element.attributes.sorted(by: { $0.key < $1.key }) {
      if let value = HTMLAllowance.value(of: name, on: element.name, raw: value) {
        written += " \(name)=\"\(HTMLText.escaped(value))\""
      }
    }
    if element.name == "a", let reference = element.attributes["href"],
      let url = WebURL.resolve(reference, against: base),
      url.utf8.count <= Self.maximumAddressByteCount
    {
      written += " href=\"\(HTMLText.escaped(Self.written(url)))\""
      written += " rel=\"noopener noreferrer nofollow\" target=\"_blank\""
    }
    return written
  }

  /// Returns an address as browsers read it: without tabs and line ends, other control characters
  /// percent-encoded. Source: URL Standard, "URL parsing".
  private static func written(_ address: String) -> String {
    let bytes = address.utf8.filter { ![0x09, 0x0A, 0x0D].contains($0) }
    return PercentEncoding.encoded(bytes[...]) { $0 >= 0x20 && $0 != 0x7F }
  }

  private func image(_ element: MarkupElement, _ url: String) -> String? {
    guard url.utf8.count <= Self.maximumAddressByteCount, let image = image(url) else { return nil }
    return tag(of: element, showing: image)
  }

  private func tag(of element: MarkupElement, showing image: PageImage) -> String {
    var tag = "<img src=\"\(HTMLText.escaped(Self.written(image.source)))\""
    // An address with white space, or a comma at an end, would be read as another one.
    if let double = image.doubleSource.map(Self.written),
      SourceSet("\(double) 2x").candidates.map(\.url) == [double]
    {
      tag += " srcset=\"\(HTMLText.escaped("\(double) 2x"))\""
    }
    let description = element.attributes["alt"].flatMap { $0.isEmpty ? nil : $0 }
    tag += " alt=\"\(HTMLText.escaped(description ?? image.description))\""
    if image.width > 0, image.height > 0 {
      tag += " width=\"\(image.width)\" height=\"\(image.height)\""
    }
    if let classes = HTMLAllowance.value(
      of: "class", on: "img", raw: element.attributes["class"] ?? "")
    {
      tag += " class=\"\(classes)\""
    }
    return tag + " loading=\"lazy\" decoding=\"async\">"
  }

  private struct Writer {
    var output = ""
    /// The closing text of each open element; `nil` for those that were not written.
    private var open: [String?] = []
    /// Elements open inside one that is removed with what is in it, that one included.
    var hiddenDepth = 0
    private(set) var writtenDepth = 0

    mutating func open(_ name: String?) {
      open.append(name)
      if name != nil { writtenDepth += 1 }
    }

    mutating func close() {
      if hiddenDepth > 0 {
        hiddenDepth -= 1
      } else if let name = open.popLast() ?? nil {
        output += "</\(name)>"
        writtenDepth -= 1
      }
    }
  }
}

/// The replacement for an image of a story's page.
public struct PageImage: Sendable, Hashable {
  /// The address for the page, for example `/image?url=…`; escaped when it is written.
  public var source: String
  /// The same image with twice the pixels, if any.
  public var doubleSource: String?
  /// The alternative text of an image without an alternative text. Default: empty.
  public var description = ""
  /// Columns, so that the page keeps room for it; 0 where unknown.
  public var width: Int
  /// Rows; 0 where unknown.
  public var height: Int

  /// Creates an address.
  public init(
    source: String, doubleSource: String? = nil, description: String = "", width: Int = 0,
    height: Int = 0
  ) {
    self.source = source
    self.doubleSource = doubleSource
    self.description = description
    self.width = width
    self.height = height
  }
}

extension PageImage {
  private static let maximumDataByteCount = 2 << 20

  /// An image of a story in a `data:` URL, which is shown and never fetched; `nil` for anything but
  /// a PNG, JPEG, GIF, WebP or AVIF image in Base64, and for a few pixels, which only keep a place.
  init?(dataURL text: String) {
    guard text.utf8.count <= Self.maximumDataByteCount else { return nil }
    let text = text.trimmingWhiteSpace()
    guard let comma = text.firstIndex(of: ","), text.lowercased().hasPrefix("data:image/"),
      text[..<comma].lowercased().hasSuffix(";base64")
    else { return nil }
    // The `=` at the end may be missing or percent-encoded.
    let decoded = String(
      decoding: PercentEncoding.decoded(text[comma...].dropFirst()).bytes, as: UTF8.self)
    let data = decoded.filter { !$0.isWhitespace && $0 != "=" }
    let end = String(repeating: "=", count: (4 - data.utf8.count % 4) % 4)
    guard let bytes = Base64.decoded(data + end),
      let format = ImageFormat(sniffing: bytes.span.bytes),
      [.png, .jpeg, .gif, .webp, .avif].contains(format)
    else { return nil }
    let size = (try? ImageCodecs.info(of: bytes.span.bytes))?.size
    if let size, min(size.width, size.height) < 3 || max(size.width, size.height) < 9 { return nil }
    guard size != nil || format == .avif else { return nil }
    self.init(
      source: "data:\(format.mediaType);base64,\(Base64.encoded(bytes))", width: size?.width ?? 0,
      height: size?.height ?? 0)
  }
}
