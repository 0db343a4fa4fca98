import Foundation
import Testing

@testable import HTTPListening
@testable import ImageModel
@testable import ThumbnailServer
@testable import TestSupport

@Suite struct `Signed URLs` {
  static let key = SigningKey(name: "k1", secret: Array("correct horse battery staple".utf8))
  static let old = SigningKey(name: "k0", secret: Array("another secret".utf8))
  static let target = "/thumb?url=https%3A%2F%2Fexample.org%2Fa%20b.jpg%3Fx%3D1%262&w=200&h=200"
  /// Computed by Python's `hmac` from the text that the Securing page of the documentation shows.
  static let code = "72b49848f4ca5ea77d4349c2117e8e437800cd6dc03c33c618c8ef1abbfe9480"

  @Test func `the documented test vector holds`() throws {
    let signer = URLSigner(keys: [Self.key])
    let end = Date(timeIntervalSince1970: 1_900_000_000)

    let signed = try signer.sign(Self.target, expires: end)

    #expect(signed == "\(Self.target)&kid=k1&exp=1900000000&sig=\(Self.code)")
    #expect(
      URLSigner.text(try QueryPairs(target: signed))
        == "/thumb?exp=1900000000&h=200&kid=k1&url=https%3A%2F%2Fexample.org%2Fa%20b.jpg%3Fx%3D1%262&w=200"
    )
    let page = try String(
      contentsOf: SharedFixtures.packageRoot.appending(
        path: "Sources/ImagePipeline/Documentation.docc/Securing.md"), encoding: .utf8)
    #expect(page.contains(Self.code))
  }

  @Test func `a key prints without its secret`() {
    var dumped = ""
    dump(Self.key, to: &dumped)

    #expect("\(Self.key)" == "SigningKey(name: k1)")
    #expect(String(reflecting: Self.key) == "SigningKey(name: k1)")
    // The first byte of it.
    #expect(!dumped.contains("99"))
  }

  @Test func `the order and the spelling of the query do not matter`() throws {
    let signer = URLSigner(keys: [Self.key])
    let other =
      "/thumb?h=200&sig=\(Self.code)&exp=1900000000&w=20%30&kid=k1&url=https:%2f%2fexample.org/a%20b.jpg?x=1%262"

    #expect(
      signer.judge(try QueryPairs(target: other), now: 1_800_000_000) == .good(until: 1_900_000_000)
    )
  }

  @Test(arguments: ["foo", "", "example.org/thumb?url=a", "ftp://a/thumb"])
  func `what is neither a path nor a URL is not signed`(text: String) {
    let error = #expect(throws: ImageError.self) { try URLSigner(keys: [Self.key]).sign(text) }
    #expect(error?.code == .invalidArgument)
  }

  @Test(arguments: ["abc", "", "+5", "1e9", "01", "99999999999999999999"])
  func `an end that is not a number of seconds is refused`(end: String) {
    let error = #expect(throws: ImageError.self) {
      try URLSigner(keys: [Self.key]).sign("\(Self.target)&exp=\(end)")
    }
    #expect(error?.message.contains("exp is a time in Unix seconds") == true)
  }

  @Test func `an unknown key is named`() {
    let error = #expect(throws: ImageError.self) {
      try URLSigner(keys: [Self.key]).sign(Self.target, keyName: "zz")
    }
    #expect(error?.message == "no key is named \"zz\"")
  }

  @Test func `a signature expires`() throws {
    let signer = URLSigner(keys: [Self.key])
    let query = try QueryPairs(target: "\(Self.target)&kid=k1&exp=1900000000&sig=\(Self.code)")

    #expect(signer.judge(query, now: 1_899_999_999) == .good(until: 1_900_000_000))
    #expect(signer.judge(query, now: 1_900_000_000) == .refused)
  }

  @Test func `after a rotation the old key still verifies and the new one signs`() throws {
    let before = try URLSigner(keys: [Self.old]).sign("/image?url=http%3A%2F%2Fa.b%2F")
    let signer = URLSigner(keys: [Self.key, Self.old])

    #expect(signer.judge(try QueryPairs(target: before), now: 0) == .good(until: nil))
    #expect(try signer.sign("/image?url=x").contains("kid=k1"))
    #expect(try signer.sign("/image?url=x", keyName: "k0").contains("kid=k0"))
    #expect(URLSigner(keys: [Self.key]).judge(try QueryPairs(target: before), now: 0) == .refused)
  }

  @Test func `a whole URL keeps its host and loses its fragment`() throws {
    let signed = try URLSigner(keys: [SigningKey(name: nil, secret: [1])])
      .sign("http://127.0.0.1:8780/image?url=x#top")

    #expect(signed.hasPrefix("http://127.0.0.1:8780/image?url=x&sig="))
    #expect(!signed.contains("#"))
  }

  @Test func `none of forty changes to a signed target passes`() throws {
    let signer = URLSigner(keys: [Self.key])
    let good = "\(Self.target)&kid=k1&exp=1900000000&sig=\(Self.code)"
    let zeros = String(repeating: "0", count: 64)
    func with(_ old: String, _ new: String) -> String {
      good.replacingOccurrences(of: old, with: new)
    }
    var tries: [String] = [
      Self.target, Self.target + "&kid=k1&exp=1900000000", Self.target + "&sig=",
      Self.target + "&sig=\(zeros)", with("w=200", "w=201"), with("h=200", "h=2000"),
      with("exp=1900000000", "exp=1900000001"), with("exp=1900000000", "exp=01900000000"),
      with("exp=1900000000", "exp=+1900000000"), with("&exp=1900000000", ""),
      with("exp=1900000000", "exp="), with("exp=1900000000", "exp=9e99"), with("kid=k1", "kid=k2"),
      with("kid=k1", "kid="), with("&kid=k1", ""), with("/thumb", "/image"),
      with("/thumb", "/thumb/"), with("/thumb", "//thumb"), good + "&frame=1", good + "&q=1",
      good + "&placeholder=1", good + "&x=", with("a%20b", "a+b"), with("a%20b", "a%2520b"),
      with("example.org", "evil.org"), with("example.org", "example.org%2F..%2F.."),
      with(Self.code, Self.code.uppercased()), with(Self.code, String(Self.code.dropLast())),
      with(Self.code, Self.code + "0"), with(Self.code, "%00" + Self.code.dropFirst()),
    ]
    for place in stride(from: 0, to: 60, by: 6) {
      var code = Array(Self.code)
      code[place] = code[place] == "0" ? "1" : "0"
      tries.append(good.replacingOccurrences(of: Self.code, with: String(code)))
    }

    #expect(signer.judge(try QueryPairs(target: good), now: 0) == .good(until: 1_900_000_000))
    #expect(tries.count >= 40)
    for target in tries {
      let verdict = (try? QueryPairs(target: target)).map { signer.judge($0, now: 0) } ?? .refused
      #expect(verdict == .refused, "\(target)")
    }
  }
}
