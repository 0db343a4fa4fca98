import ImageModel
import Testing

@testable import ImageFeeds

/// Markup for which the parser takes time in the square of its length.
@Suite(.timeLimit(.minutes(2))) struct `Markup out of bounds` {
  private func attributes(_ count: Int, of names: String = "a") -> String {
    (0..<count).map { "\(names)\($0)=\"1\"" }.joined(separator: " ")
  }

  private func message(_ bytes: [UInt8]) -> String? {
    do throws(ImageError) {
      _ = try Markup.xml(bytes)
      return nil
    } catch {
      return error.code == .notAFeed ? error.message : "\(error)"
    }
  }

  // MARK: XML

  @Test func `an element of XML has up to 256 attributes`() {
    let tooMany = "an element of the XML has more than 256 attributes"

    #expect(message(Array("<r \(attributes(256))/>".utf8)) == nil)
    #expect(message(Array("<r \(attributes(257))/>".utf8)) == tooMany)
    for start in ["<r a='<b ", "<r><!-- ' --><b ", "<r><![CDATA[<a '=']]><b ", "<r a=\">\" "] {
      #expect(message(Array((start + attributes(12_000) + "/></r>").utf8)) == tooMany, "\(start)")
    }
  }

  @Test(arguments: [true, false], [true, false])
  func `UTF-16 hides no attributes`(isLittleEndian: Bool, hasMark: Bool) {
    let text =
      (hasMark ? "\u{FEFF}" : "") + "<?xml version='1.0'?><r \(attributes(12_000, of: "〼b"))/>"
    let bytes = text.utf16.flatMap { unit in
      let (low, high) = (UInt8(unit & 0xFF), UInt8(unit >> 8))
      return isLittleEndian ? [low, high] : [high, low]
    }

    #expect(message(bytes) == "an element of the XML has more than 256 attributes")
  }

  @Test(arguments: ["UTF-7", "ISO-2022-JP", "HZ", "IBM037", "UTF-16LE", "UCS-4"])
  func `an encoding that hides tags is refused`(name: String) {
    let start = "<?xml version='1.0' \(String(repeating: " ", count: 5000))encoding=\"\(name)\""

    #expect(
      message(Array("\(start) standalone='yes'?><r/>".utf8))
        == "the XML is in the encoding \(name), which is not read")
  }

  @Test(arguments: ["utf-8", "gb18030", "Windows-1252", "Shift_JIS", "iso-8859-15", "utf-16"])
  func `a usual encoding is not refused`(name: String) {
    #expect(message(Array("<?xml version='1.0' encoding='\(name)'?><r/>".utf8)) == nil)
  }

  @Test(arguments: ["- -- -", "--", "<!--"])
  func `comments with many double hyphens are refused`(piece: String) {
    let comment = String(repeating: piece, count: 20_000)

    for text in ["<r><!--\(comment)--></r>", "<r><!-->\(comment)--></r>", "<!--\(comment)"] {
      #expect(message(Array(text.utf8)) == "the XML has too many double hyphens in a comment")
    }
  }

  @Test(arguments: [
    "<!ATTLIST r a CDATA 'x'>", "<!ELEMENT r (a)>", "<!ENTITY a 'b'>", "<!NOTATION a SYSTEM 'b'>",
  ])
  func `declarations are refused wherever the document type has them`(declaration: String) {
    let comment = "<!--\(String(repeating: "<a>", count: 50_000))-->"

    for start in ["", "<?xml version='1.0'?>\n", comment, "<?p <r>?>" + comment] {
      for type in ["r", "r SYSTEM '>'", "r PUBLIC \"a\" 'b'"] {
        let text = "\(start)<!DOCTYPE \(type) [\(comment) \(declaration)]><r/>"
        #expect(
          message(Array(text.utf8))
            == "the XML declares entities or elements of its own, which is not accepted")
      }
    }
  }

  // MARK: HTML

  /// The most attributes that an element has for the parser.
  private func most(_ html: String) throws -> Int {
    var most = 0
    try Markup.readHTML(html) { step in
      if case .opens(let element) = step { most = max(most, element.attributes.count) }
    }
    return most
  }

  @Test func `an element of HTML has up to 256 attributes, and all else stays`() throws {
    let html = "<p>a</p><p \(attributes(12_000))>b</p><p \(attributes(256, of: "c"))>d</p>"
    var texts: [String] = []

    try Markup.readHTML(html) { step in if case .text(let text) = step { texts.append(text) } }

    #expect(try most(html) == 256)
    #expect(texts.first == "a" && texts.last == "d")
    #expect(MarkupBounds.bounded("<p \(attributes(256))>") == "<p \(attributes(256))>")
  }

  @Test(arguments: [
    "<script>i<n x='</script><a ", "<!-- <b x=\" --><a ", "<p title=\"<b '\"><a ", "<a b=c=\" ",
    "<a b\"c=\"d ", "<a/b='", "<style>a<b x=\"'</style><a ", "<a x='\"' y=\"'\" ", "<a\n= 'x ",
    "<a x=\">\" y='>' ", "<a b = \"c\"", "<textarea><b x='</textarea><a ", "<? <a x='?><a ",
  ])
  func `no mixture of quotes and scripts hides attributes`(start: String) throws {
    for list in [
      attributes(3000), (0..<3000).map { "a\($0)" }.joined(separator: " "),
      (0..<3000).map { "a\($0)='>'" }.joined(separator: "\n"),
      (0..<3000).map { "a\($0)=\"1\"" }.joined(),
    ] {
      #expect(try most(start + list + ">x") <= 260, "\(start)\(list.prefix(20))")
    }
  }

  @Test func `random mixtures hide no attributes`() throws {
    var random = SystemRandomNumberGenerator()
    let pieces = [
      "<a ", "<b", "<script>", "</script>", "<!--", "-->", ">", "<", "\"", "'", "='", "=\"", " = ",
      "=", " x", "y=1 ", "/", "\n", "</p>", "é", "]]>", "<p>it's</p>",
    ]
    for _ in 0..<200 {
      let start = (0..<12).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      let separator = [" ", "\n", "=1 ", "='>' ", "=\"<\""].randomElement(using: &random) ?? " "
      let list = (0..<400).map { "a\($0)" }.joined(separator: separator)

      #expect(try most(start + list + ">x") <= 260, "\(start.debugDescription) \(separator)")
    }
  }

  @Test func `long texts, values and scripts stay as they are`() {
    let words = String(repeating: "word ", count: 2000)
    let html = """
      <p>it's a "quoted" text: \(words)</p><img alt="\(words)" src="data:image/png;base64,\(words)">
      <a title='\(words)' href="?a=b&amp;c=d">x</a> 1 < 2, \(words)
      """

    #expect(MarkupBounds.bounded(html) == html)
  }
}
