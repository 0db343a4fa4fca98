import HTTPTypes
import Testing

@testable import CachingProxy

@Suite struct `The field Via` {
  private let via = ViaField()

  private func fields(_ lines: [String]) -> HTTPFields {
    var fields = HTTPFields()
    for line in lines { fields.append(HTTPField(name: .via, value: line)) }
    return fields
  }

  @Test(arguments: [
    ([], ""), (["1.0 a"], "1.0 a, "), (["1.0 a, 1.1 b (c)", "2 d"], "1.0 a, 1.1 b (c), 2 d, "),
    (["", "1.1 a"], "1.1 a, "),
  ])
  func `gets this hop after the others, in one line`(lines: [String], former: String) {
    var fields = fields(lines)

    via.add(to: &fields)

    #expect(fields[values: .via] == ["\(former)1.1 \(via.pseudonym)"])
  }

  @Test func `shows a loop through this proxy, or through eight of its kind`() {
    // Shows a loop through this proxy, in any case and position.
    let name = via.pseudonym
    #expect(via.isCircular(fields(["1.1 \(name)"])))
    #expect(via.isCircular(fields(["1.0 a", "1.1 b,HTTP/1.1\t\(name.uppercased()) (x), 1.1 c"])))
    #expect(!via.isCircular(fields(["1.1 \(name)0"])))
    #expect(!via.isCircular(fields(["\(name) a"])))
    #expect(!via.isCircular(fields(["1.1 a (\(name))"])))
    #expect(!via.isCircular([:]))
    // Shows a loop after eight proxies of this kind, whatever their names.
    let seven = (1...7).map { "1.1 imgcache-\($0)" }
    #expect(!via.isCircular(fields(seven)))
    #expect(!via.isCircular(fields(seven + ["1.1 imgcached", "1.1 squid"])))
    #expect(via.isCircular(fields(seven + ["1.1 imgcache"])))
    #expect(via.isCircular(fields([(seven + ["1.1 IMGCACHE-8"]).joined(separator: ",")])))
  }

  @Test(arguments: [
    ("1.1 imgcache", true), ("1.1 imgcache-7", true), ("1.1 squid, 1.1 ImgCache-7", true),
    ("1.1 imgcached", false), ("1.1 squid", false), ("imgcache", false), (",,", false),
  ])
  func `shows another proxy of this kind`(line: String, isOfKind: Bool) {
    #expect(ViaField.hasPredecessor(fields([line])) == isOfKind)
  }
}
