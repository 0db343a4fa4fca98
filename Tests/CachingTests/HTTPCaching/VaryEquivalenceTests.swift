import HTTPTypes
import Testing

@testable import HTTPCaching
@testable import ImageModel

/// Requests that one stored response may answer, by the fields that its `Vary` names (RFC 9111
/// §4.1).
@Suite struct `Requests that Vary compares` {
  private func key(_ vary: String, _ lines: [String]) -> VaryKey? {
    var request = HTTPFields()
    if let name = HTTPField.Name(vary) {
      for line in lines { request.append(HTTPField(name: name, value: line)) }
    }
    return VaryKey(answer: [.vary: vary], request: request)
  }

  private static let equal: [(String, [String], [String])] = [
    ("Accept-Language", ["de, en;q=0.5"], ["en;q=0.5,de"]),
    ("Accept-Language", ["de-DE"], ["DE-de"]),
    ("Accept-Language", ["de;q=1, en"], ["de, en;q=1.0"]),
    ("Accept-Language", ["de ; q=0.5"], ["de;q=0.5"]),
    ("Accept-Language", ["de;q=0.50"], ["de;Q=0.5"]), ("Accept-Language", ["de;q=0."], ["de;q=0"]),
    ("Accept-Language", ["de", "en"], ["de, en"]), ("Accept-Language", [",de,,"], ["de"]),
    ("Accept-Encoding", ["gzip, br"], ["BR,gzip"]),
    ("Accept-Encoding", ["gzip\t, br"], ["br,gzip"]),
    ("Accept", ["a/b ,c/d"], ["a/b,\tc/d"]), ("Accept", ["a/b", "c/d"], ["a/b, c/d"]),
    ("User-Agent", ["  x "], ["x"]),
  ]

  @Test(arguments: equal)
  func `are the same where their fields mean the same`(
    name: String, one: [String], other: [String]
  ) {
    #expect(key(name, one) == key(name, other))
    #expect(key(name, one)?.description == key(name, other)?.description)
  }

  private static let different: [(String, [String], [String])] = [
    ("Accept-Language", ["de"], ["en"]), ("Accept-Language", ["de;q=0.5"], ["de"]),
    ("Accept-Language", ["de;q=0.1"], ["de;q=1"]), ("Accept-Language", ["de"], ["de, de-AT"]),
    ("Accept-Language", ["de;q=0"], []), ("Accept-Encoding", ["gzip"], ["gzip;q=0"]),
    ("Accept-Encoding", [""], []), ("Accept-Encoding", ["identity"], []),
    // The order of others may matter, and so does the case of their letters.
    ("Accept", ["a/b, c/d"], ["c/d, a/b"]), ("User-Agent", ["X"], ["x"]),
    ("User-Agent", ["a b"], ["ab"]), ("User-Agent", ["a b"], ["a  b"]),
    ("User-Agent", ["a b"], ["a\tb"]), ("User-Agent", ["\"a b\""], ["\"a  b\""]),
    ("User-Agent", ["\"a,b\""], ["\"a, b\""]), ("User-Agent", [""], []),
    ("Cookie", ["a=1"], ["a=2"]),
    ("Accept", ["a/b;q=1"], ["a/b"]),
    // An origin may read what is no list of tokens with weights in its own way.
    ("Accept-Language", ["f r"], ["fr"]), ("Accept-Language", ["de; q=0. 5"], ["de;q=0.5"]),
    ("Accept-Language", ["de;q=5"], ["de"]), ("Accept-Language", ["de;q=1.0001"], ["de"]),
    ("Accept-Encoding", ["gzip;q=1;a"], ["gzip"]), ("Accept-Encoding", ["g\"zip"], ["gzip"]),
  ]

  @Test(arguments: different)
  func `differ where their fields may mean something else`(
    name: String, one: [String], other: [String]
  ) {
    #expect(key(name, one) != key(name, other))
    #expect(key(name, one)?.description != key(name, other)?.description)
  }

  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `select the same of many responses as of each alone`(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func fields() -> HTTPFields {
      let languages = ["de", "en", "en;q=0.5"]
      return [.acceptLanguage: languages.randomElement(using: &random) ?? "", .accept: "a/b"]
    }
    let stored = (0..<40).map { _ in
      let vary = ["", "Accept-Language", "accept, Accept-Language", "*", "Cookie"]
      let answer: HTTPFields = [.vary: vary.randomElement(using: &random) ?? ""]
      return StoredResponse(
        status: 200, fields: answer, requestTime: .distantPast, responseTime: .distantPast,
        selection: VaryKey(answer: answer, request: fields())?.description ?? "*")
    }
    let request = fields()

    let selected = StoredResponse.selected(among: stored, by: request)

    #expect(selected == stored.indices.filter { stored[$0].isSelected(by: request) })
    #expect(!selected.isEmpty && selected.count < stored.count, "seed \(seed)")
  }

  @Test func `are compared by each field once, however often Vary names it`() throws {
    var answer: HTTPFields = [.vary: "Accept, accept"]
    answer.append(HTTPField(name: .vary, value: "ACCEPT, Cookie,"))

    #expect(VaryKey.names(in: answer) == ["accept", "cookie"])
    let key = try #require(VaryKey(answer: answer, request: [.accept: "a", .cookie: "b"]))
    #expect(key.description == "accept: a\ncookie: b")
  }

  @Test func `cannot pretend to be others by what their fields contain`() {
    // As one text these would be equal without the line ends that no value contains.
    let one = VaryKey(answer: [.vary: "Accept, Cookie"], request: [.accept: "a cookie: b"])
    let other = VaryKey(answer: [.vary: "Accept, Cookie"], request: [.accept: "a", .cookie: "b"])

    #expect(one?.description != other?.description)
  }
}
