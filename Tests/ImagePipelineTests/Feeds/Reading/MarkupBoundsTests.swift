import ImageModel
import Testing

@testable import ImageFeeds
@testable import TestSupport

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

  @Test func `what only looks like markup in a CDATA section is not counted`() throws {
    let dashes = String(repeating: "<item>a -- b -- c</item>", count: 5000)
    for text in ["<!-- more", attributes(300), "<p \(attributes(12_000))>", "]] > ]>", "<?php"] {
      let xml = "<r><item><![CDATA[\(text)]]></item>\(dashes)</r>"
      let read = try Markup.xml(Array(xml.utf8))
      #expect(read.fault == nil && read.root.elements.count == 5001, "\(text.prefix(20))")
    }
  }

  @Test(arguments: [
    "<![CDATA[\u{1}", "<![CDATA[\u{FFFE}", "<![CDATA[\u{FFFF}", "<![CDATA[]]>", "<?p <![CDATA[?>",
    "<?p?><![CDATA[\u{7}]]", "<!-- <![CDATA[ -->", "<a b='<![CDATA[", "<a b=<![CDATA[",
    "<a <![CDATA[", "<a b=\"x\"c='><![CDATA[", "<![CDATA[ ]] >", "<![CDATA", "</a b='><![CDATA[",
  ])
  func `no CDATA section hides attributes`(start: String) {
    #expect(
      most(Array("<r>\(start)<b \(attributes(3000))/>]]></r>".utf8)) <= 260, "\(start)")
  }

  @Test(.isLong, arguments: ["", "\u{1}", "]]>"])
  func `sections without an end take no longer than others`(end: String) {
    let sections = String(repeating: "<![CDATA[>", count: 300_000)

    #expect(most(Array("<r>\(sections)\(end)<b \(attributes(300))/></r>".utf8)) <= 260)
  }

  @Test func `random mixtures of XML hide no attributes`() {
    var random = SystemRandomNumberGenerator()
    let pieces = [
      "<a ", "<b>", "</b>", "<!--", "-->", "--", ">", "<", "\"", "'", "='", "=\"", " = ", " x",
      "/>", "y='1' ", "<![CDATA[", "]]>", "]]", "\u{1}", "\u{FFFE}", "<?p ", "?>", "&lt;", "&", "é",
      "<r/>",
    ]
    for _ in 0..<500 {
      let start = (0..<10).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      let xml = "<r>\(start)<c \(attributes(400))/>]]>--></r>"

      #expect(most(Array(xml.utf8)) <= 260, "\(start.debugDescription)")
    }
  }

  /// The most attributes that an element has for the parser; 0 for what is refused.
  private func most(_ bytes: [UInt8]) -> Int {
    func most(_ element: MarkupElement) -> Int {
      element.elements.reduce(element.attributes.count) { max($0, most($1)) }
    }
    return (try? Markup.xml(bytes)).map { most($0.root) } ?? 0
  }

  // MARK: Time

  @Test(.isLong) func `namespaces and names that take too long are refused`() {
    let tooLong = "the XML takes too long to read: too many namespaces or different names"
    let scopes = (0..<200).map { depth in
      "<a " + (0..<250).map { "xmlns:p\(depth)_\($0)='u'" }.joined(separator: " ") + ">"
    }.joined()
    let uses = String(repeating: "<p0_0:x/>", count: 100_000)
    let names = (0..<1_200_000).map { "<n\($0)/>" }.joined()

    #expect(message(Array((scopes + uses).utf8)) == tooLong)
    #expect(message(Array("<r>\(names)</r>".utf8)) == tooLong)
  }

  @Test func `a feed with many prefixes and items is read`() {
    let items = String(
      repeating: "<item><m:c xmlns:m='u' m:a='1'/><x:div xmlns:x='v'>text</x:div></item>",
      count: 20_000)

    #expect(message(Array("<r>\(items)</r>".utf8)) == nil)
  }

  @Test(.isLong) func `HTML that takes too long ends early`() throws {
    var count = 0
    let html = "<p>first</p>" + (0..<1_500_000).map { "<n\($0)>" }.joined()

    try Markup.readHTML(html) { step in if case .opens = step { count += 1 } }

    #expect((1..<1_500_000).contains(count))
  }

  @Test(arguments: ["UTF-7", "ISO-2022-JP", "HZ", "IBM037", "UTF-16LE", "UCS-4", "gb2312", "none"])
  func `no encoding hides tags`(name: String) {
    let tooMany = "an element of the XML has more than 256 attributes"
    let text = "<?xml version='1.0' encoding='\(name)'?><r \(attributes(12_000))/>"
    #expect(message(Array(text.utf8)) == tooMany)
    guard name == "none" else { return }
    for start in ["", "\u{FEFF}"] {
      let wide = start + "<?xml version='1.0'?><r \(attributes(12_000, of: "〼b"))/>"
      let bytes = wide.utf16.map { (UInt8($0 & 0xFF), UInt8($0 >> 8)) }
      #expect(message(bytes.flatMap { [$0, $1] }) == tooMany)
      #expect(message(bytes.flatMap { [$1, $0] }) == tooMany)
    }
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
