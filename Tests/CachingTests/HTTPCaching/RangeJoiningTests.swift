import Foundation
import Testing

@testable import HTTPCaching
@testable import ImageModel

/// Properties of ranges over random lists, with sets of byte positions as the reference.
@Suite struct `Joined ranges` {
  /// A range as it is written, and the positions that it names of a body of so many bytes.
  private struct Wanted {
    let text: String
    private let isNamed: (_ position: Int, _ count: Int) -> Bool

    init(_ random: inout SplitMix64, count: Int) {
      let first = Int.random(in: 0...count + 20, using: &random)
      let last = first + Int.random(in: 0...count / 2, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        text = "-\(last)"
        isNamed = { $0 >= $1 - last }
      case 1:
        text = "\(first)-"
        isNamed = { position, _ in position >= first }
      default:
        text = "\(first)-\(last)"
        isNamed = { position, _ in position >= first && position <= last }
      }
    }

    func positions(of count: Int) -> Set<Int> { Set((0..<count).filter { isNamed($0, count) }) }
  }

  @Test(arguments: [41, 42, 43, 44] as [UInt64])
  func `cover what was requested, and nothing beyond short gaps`(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for _ in 0..<60 {
      let count = Int.random(in: 1...1500, using: &random)
      let wanted = (0..<Int.random(in: 1...8, using: &random)).map { _ in
        Wanted(&random, count: Bool.random(using: &random) ? count : min(count, 30))
      }
      let list = wanted.map(\.text).joined(separator: ", ")
      let comment: Comment = "seed \(seed): \(list) of \(count)"
      let ranges = try #require(HTTPByteRange.list("bytes=\(list)"), comment)

      let joined = ByteRangeParts.joined(ranges, of: count)

      let requested = wanted.reduce(into: Set<Int>()) { $0.formUnion($1.positions(of: count)) }
      let sent = joined.reduce(into: Set<Int>()) { $0.formUnion($1) }
      #expect(requested.subtracting(sent).isEmpty, comment)
      #expect(sent.count == joined.reduce(0) { $0 + $1.count }, "no byte twice; \(comment)")
      // What is sent unasked lies in gaps of at most 80 bytes.
      for extra in sent.subtracting(requested) {
        let before = (0...80).first { requested.contains(extra - $0) } ?? 81
        let behind = (0...80).first { requested.contains(extra + $0) } ?? 81
        #expect(before + behind <= 81, "byte \(extra); \(comment)")
      }
      // In the order in which the request first names them.
      let order = joined.map { range in
        wanted.firstIndex { !$0.positions(of: count).isDisjoint(with: range) } ?? -1
      }
      #expect(order == order.sorted(), comment)
      let sorted = joined.sorted { $0.lowerBound < $1.lowerBound }
      for (one, next) in zip(sorted, sorted.dropFirst()) {
        #expect(next.lowerBound - one.upperBound > 80, comment)
      }
    }
  }

  /// Reads the parts as a client does: by the boundary, the fields of each, the empty line.
  @Test func `are a multipart body that a client can take apart`() throws {
    let body = (0..<1000).map { UInt8($0 % 251) }
    let parts = ByteRangeParts(
      [10..<20, 700..<703, 999..<1000], of: 1000, mediaType: "a/b; c=\"d\"")
    let type = try #require(parts.mediaType)
    let boundary = try #require(type.split(separator: "; boundary=").last)
    var bytes: [UInt8] = []
    for part in parts.parts { bytes += Array(part.head.utf8) + body[part.bytes] }
    bytes += Array(parts.end.utf8)
    // Latin-1: a character a byte.
    let text = try #require(String(bytes: bytes, encoding: .isoLatin1))

    #expect(type.hasPrefix("multipart/byteranges; "))
    #expect(ByteRangeParts([0..<1, 500..<501], of: 1000, mediaType: nil).mediaType != type)
    #expect((1...70).contains(boundary.count))
    #expect(bytes.count == parts.byteCount)
    let pieces = ("\r\n" + text).components(separatedBy: "\r\n--\(boundary)")
    #expect(pieces.first == "")
    #expect(pieces.last == "--\r\n")
    let read = try pieces.dropFirst().dropLast().map { piece -> (String, [UInt8]) in
      let end = try #require(piece.range(of: "\r\n\r\n"))
      return (
        String(piece[..<end.lowerBound]),
        piece[end.upperBound...].unicodeScalars.map { UInt8($0.value) }
      )
    }
    #expect(
      read.map(\.0)
        == ["10-19", "700-702", "999-999"].map {
          "\r\nContent-Type: a/b; c=\"d\"\r\nContent-Range: bytes \($0)/1000"
        })
    #expect(read.map(\.1) == [Array(body[10..<20]), Array(body[700..<703]), Array(body[999...])])
  }

  @Test func `are the bytes alone where there is one`() {
    let parts = ByteRangeParts(5..<9)

    #expect(parts.byteCount == 4)
    #expect(parts.parts.map(\.head) == [""])
    #expect(parts.end.isEmpty)
    #expect(parts.mediaType == nil)
  }
}
