import ImageModel

@testable import CacheSimulation

/// A trace is the same in one piece as in several, and its facts add up. The first byte of the
/// input chooses the format and the length of the pieces.
enum TraceTarget {
  static func check(_ bytes: [UInt8]) throws(FuzzFailure) {
    guard let first = bytes.first else { return }
    let rest = bytes[1...]
    let formats: [TraceFormat?] = [nil] + TraceFormat.allCases
    let format = formats[Int(first) % formats.count]
    let whole = read(rest, format, pieces: max(1, rest.count))
    let cut = read(rest, format, pieces: Int(first) / formats.count + 1)
    switch (whole, cut) {
    case (.failure(let one), .failure(let other)):
      try require(one.code == other.code, "\(one.message) or in pieces \(other.message)")
    case (.success(let one), .success(let other)):
      try require(one.keys == other.keys && one.sizes == other.sizes, "pieces differ")
      let facts = one.facts
      try require(facts.requestCount == one.keys.count, "\(facts)")
      try require((one.keys.max().map { Int($0) + 1 } ?? 0) == facts.objectCount, "\(facts)")
      try require(
        one.sizes.allSatisfy { $0 >= 0 }
          && facts.requestedByteCount <= TraceBuilder.maximumByteCount, "\(facts)")
    case (.failure(let error), .success), (.success, .failure(let error)):
      throw FuzzFailure(description: "one way only: \(error.message)")
    }
  }

  private static func read(
    _ bytes: ArraySlice<UInt8>, _ format: TraceFormat?, pieces: Int
  ) -> Result<CacheTrace, ImageError> {
    var builder = TraceBuilder(name: "x", sampleRate: 1)
    let parser = TraceParser(name: "x", format: format)
    do throws(ImageError) {
      for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: pieces) {
        let piece = Array(bytes[start..<min(bytes.endIndex, start + pieces)])
        try piece.span.bytes.withUnsafeBytes { raw throws(ImageError) in
          try parser.feed(raw, &builder)
        }
      }
      try parser.finish(&builder)
      return .success(builder.finished())
    } catch {
      return .failure(error)
    }
  }
}
