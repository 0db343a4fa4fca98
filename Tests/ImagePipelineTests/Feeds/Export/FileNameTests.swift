import Testing

@testable import ImageFeeds
@testable import ImageModel

@Suite struct `A file name made of any text` {
  private func name(_ texts: String...) -> String? {
    FileName.joined(texts.map { FileName.Part($0, isFixed: false) })
  }

  private static let names: [(text: String, name: String?)] = [
    ("a/b\\c:d*e?f\"g<h>i|j", "a b c d e f g h i j"), ("a\r\n\tb", "a b"), ("  a  ", "a"),
    ("...hidden", "hidden"), ("-rf", "rf"), ("--", nil), (" . - ", nil), ("a. .", "a"),
    ("a\u{0}b\u{1B}c", "abc"), ("e\u{301}", "é"), ("知乎日报", "知乎日报"), ("", nil),
    ("\u{202E}gpj.exe", "gpj.exe"), ("\u{200D}", nil), ("\u{301}", nil), ("\u{FEFF}", nil),
    ("CON", "_CON"), ("con.txt", "_con.txt"), ("Com1", "_Com1"), ("LPT².x", "_LPT².x"),
    ("COM", "COM"), ("COM10", "COM10"), ("CONSOLE", "CONSOLE"), ("nul ", "_nul"),
    ("aux .jpg", "_aux .jpg"), ("a\u{2028}b", "a b"), ("a\u{3000}b", "a b"),
  ]

  @Test(arguments: names)
  func `is one that every file system takes, or none`(text: String, name: String?) {
    #expect(self.name(text) == name)
  }

  @Test func `keeps what is of the template and cuts the longest of the rest`() {
    let long = String(repeating: "知", count: 100)

    let name = FileName.joined([
      FileName.Part("20200616 ", isFixed: true), FileName.Part(long, isFixed: false),
      FileName.Part(" 3", isFixed: true), FileName.Part("short", isFixed: false),
    ])

    #expect(name?.hasPrefix("20200616 知") == true)
    #expect(name?.hasSuffix("知 3short") == true)
    #expect((198...200).contains(name?.utf8.count ?? 0))
  }

  @Test func `is cut between characters, not inside a family or a flag`() {
    let family = "👨‍👩‍👧‍👦"
    let name = name(String(repeating: family, count: 30)) ?? ""

    #expect(name.allSatisfy { String($0) == family })
    #expect(!name.isEmpty && name.utf8.count <= 200)
  }

  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `of random text keeps the rules`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let signs = Array(
      "ab.- /\\:*?\"<>|\u{0}\u{7F}\u{85}\u{301}\u{200D}\u{202E}知é👍🏽🇨🇳CON1\u{E000}"
        .unicodeScalars)
    for round in 0..<200 {
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0..<150, using: &random) {
        text.append(signs.randomElement(using: &random) ?? "a")
      }
      let half = text.index(text.startIndex, offsetBy: text.count / 2)
      let parts = [String(text[..<half]), String(text[half...])]
      guard let name = name(parts[0], parts[1]) else { continue }
      let remark: Comment = "seed \(seed), round \(round): \(name.debugDescription)"
      #expect((1...200).contains(name.utf8.count), remark)
      #expect(!name.unicodeScalars.contains { "<>:\"/\\|?*".unicodeScalars.contains($0) }, remark)
      #expect(!name.unicodeScalars.contains { $0.properties.generalCategory == .control }, remark)
      #expect(![".", "-", " "].contains(name.first) && ![".", " "].contains(name.last), remark)
      // A name is what becomes of itself.
      #expect(self.name(name)?.hasSuffix(name) == true, remark)
    }
  }

  private static let urls: [(url: String, name: String)] = [
    ("http://a/b/c.jpg?x=/d.png#e", "c"), ("http://a/b/.jpg", ".jpg"), ("http://a", ""),
    ("http://a/", ""), ("http://a/%E7%9F%A5.png", "知"), ("http://a/b.tar.gz", "b.tar"),
    ("http://a/x%2Fy.png", "x/y"), ("s3://bucket/k.png", "k"),
  ]

  @Test(arguments: urls)
  func `of a URL is its last component without the extension`(url: String, name: String) {
    #expect(FileName.name(of: url) == name)
  }
}
