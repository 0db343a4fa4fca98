import ImageModel
import Testing

@testable import ImageFeeds

@Suite struct `Reading XML and HTML` {
  private func root(_ text: String) throws -> MarkupElement {
    try Markup.xml(Array(text.utf8)).root
  }

  /// The steps through HTML without the elements that the parser puts around it, as one text.
  private func steps(_ html: String) throws -> String {
    var text = ""
    try Markup.readHTML(html) { step in
      switch step {
      case .opens(let element): text += "<\(element.name)>"
      case .text(let piece): text += piece
      case .closes: text += "/"
      }
    }
    return text
  }

  // MARK: Elements

  @Test func `names, prefixes and namespaces are told apart`() throws {
    let root = try root(
      #"<rss xmlns:m="http://m/"><m:content m:type="a" type="b"/>"#
        + #"<content xmlns="http://d/"/></rss>"#
    )

    #expect(root.name == "rss" && root.prefix == nil && root.namespace == nil)
    #expect(root.elements.map(\.name) == ["content", "content"])
    #expect(root.elements.map(\.prefix) == ["m", nil])
    #expect(root.elements.map(\.namespace) == ["http://m/", "http://d/"])
    #expect(root.elements.first?.attributes == ["m:type": "a", "type": "b"])
  }

  @Test func `the first element of a name is one without prefix, else one with any`() throws {
    let both = try root(#"<r xmlns:m="http://m/"><m:a>1</m:a><a>2</a><a>3</a></r>"#)
    let prefixed = try root(#"<r xmlns:m="http://m/"><b/><m:a>1</m:a><m:a>2</m:a></r>"#)

    #expect(both.first("a")?.text == "2")
    #expect(both.elements(named: "a").map(\.text) == ["1", "2", "3"])
    #expect(prefixed.first("a")?.text == "1")
    #expect(prefixed.first("c") == nil)
  }

  @Test func `the text of an element is what is directly inside, trimmed`() throws {
    let root = try root(
      "<r a='&lt;&quot;&#228;&amp;amp;'>\n a<b>no</b> <![CDATA[<c> ]]><!-- no --><?no no?>&amp;&#x41; </r>"
    )

    #expect(root.text == "a <c> &A")
    #expect(root.first("b")?.text == "no")
    #expect(root.attributes == ["a": "<\"ä&amp;"])
  }

  // MARK: Faults

  @Test(arguments: [
    ("<r><a/><b></r>", 1, ["a", "b"]), ("<r>\n<a/>\n", 3, ["a"]),
    ("<r>\n<a/>\n&unknown;<b/></r>", 3, ["a", "b"]),
  ])
  func `damaged XML is read as far as it goes, and the fault names the line`(
    text: String, line: Int, names: [String]
  ) throws {
    let xml = try Markup.xml(Array(text.utf8))

    #expect(xml.fault == "the XML is damaged at line \(line)")
    #expect(xml.root.elements.map(\.name) == names)
  }

  @Test(arguments: [
    ("<r>A & B<a u='1&amp;2 & 3'/>&lt;i&gt; &quot;&apos;</r>", "A & B<i> \"'", "1&2 & 3"),
    ("<r>a&nbsp;b &#65;&#x42; &lt;<a u=''/></r>", "a\u{A0}b AB <", ""),
    ("<r>&nbsp;<![CDATA[&lt; & <]]>&gt;<a u=''/></r>", "\u{A0}&lt; & <>", ""),
    ("<r>AT & T &amp; &unknown;&<a u='&'/></r>", "AT & T & &", "&"),
  ])
  func `references after a fault are read, and so is a bare ampersand`(
    text: String, whole: String, attribute: String
  ) throws {
    let xml = try Markup.xml(Array(text.utf8))

    #expect(xml.fault != nil)
    #expect(xml.root.text == whole.trimmingWhiteSpace())
    #expect(xml.root.first("a")?.attributes["u"] == attribute)
  }

  @Test func `white space before the declaration is accepted, and one within the text is none`()
    throws
  {
    let text = "<?xml version='1.0'?><!-- c --><r>&lt;<![CDATA[<!ENTITY x SYSTEM 'y'>]]></r>"
    for start in ["", "\n", " \r\n\t", "\u{FEFF}\n"] {
      let xml = try Markup.xml(Array((start + text).utf8))

      #expect(xml.fault == nil)
      #expect(xml.root.text == "<<!ENTITY x SYSTEM 'y'>")
    }
  }

  @Test func `XML above 64 MiB and HTML above 16 are refused before they are parsed`() {
    let bytes = [UInt8](repeating: 0x20, count: Markup.maximumXMLByteCount + 1)

    let error = #expect(throws: ImageError.self) { try Markup.xml(bytes) }
    let text = String(repeating: " ", count: Markup.maximumHTMLByteCount + 1)
    let other = #expect(throws: ImageError.self) { try Markup.readHTML(text) { _ in } }

    #expect(error?.code == .tooLarge && other?.code == .tooLarge)
    #expect(error?.message == "the XML is larger than 64 MiB")
    #expect(other?.message == "the HTML is larger than 16 MiB")
  }

  // MARK: HTML

  @Test(arguments: [
    // Completed, with names in lower case and without comments.
    ("<DIV>a<!-- no --><BR>b<p>c", "<div>a<br>/b<p>c//"),
    ("<p>&amp;&lt;&quot;&nbsp;&eacute;&hellip;&#20026;&#x4E3A;", "<p>&<\"\u{A0}é…为为/"),
  ])
  func `HTML is completed, and its entities are decoded`(html: String, read: String) throws {
    #expect(try steps(html) == "<html><body>\(read)//")
  }

  @Test func `an attribute without a value is empty`() throws {
    var attributes: [String: String] = [:]

    try Markup.readHTML("<img hidden SRC=a alt=''>") { step in
      if case .opens(let element) = step, element.name == "img" { attributes = element.attributes }
    }

    #expect(attributes == ["hidden": "", "src": "a", "alt": ""])
  }
}
