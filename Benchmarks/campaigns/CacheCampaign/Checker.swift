import DiskCaching
import Foundation
import ImageModel

/// Opens a cache after a fault, and compares all entries that can be read with what was
/// stored.
///
/// Stdin has a line `number source` for each entry that must be there; `--may-miss` lets them be
/// missing.
struct Checker {
  let arguments: Arguments

  func run() throws {
    let start = ContinuousClock().now
    var configuration = arguments.configuration
    configuration.log = complain
    let cache = try DiskCache(configuration).core
    _ = cache.read(Payload.key(-1))
    let opened = (ContinuousClock().now - start) / .milliseconds(1)

    if arguments.has("heal") { _ = try cache.verify(repair: true) }
    let size = arguments.number("bytes", default: 4000)
    var (hits, lost, damaged) = (0, 0, 0)
    while let line = readLine() {
      let words = line.split(separator: " ").compactMap { Int($0) }
      guard words.count == 2 else { continue }
      let (number, source) = (words[0], words[1])
      let expected = Payload.bytes(source, count: size + source % 7 * size / 3)
      guard let entry = cache.read(Payload.key(number)) else {
        lost += 1
        if arguments.has("heal") { try cache.store(expected, Payload.record(number)) }
        continue
      }
      if entry.bytes == expected { hits += 1 } else { damaged += 1 }
    }
    // Entries whose store was not acknowledged must be whole too.
    let report = try cache.verify(repair: false)
    if arguments.has("collect") { _ = try cache.collectGarbage() }
    let statistics = cache.statistics()
    cache.close()
    say(
      """
      {"hits":\(hits),"lost":\(lost),"damaged_served":\(damaged),"verify":\(report.damages.count),\
      "entries":\(statistics.entryCount),"bytes":\(statistics.byteCount),"open_ms":\(opened)}
      """)
    for damage in report.damages.prefix(3) {
      complain("damaged: \(damage.key.name): \(damage.reason)")
    }
  }
}

extension CacheKey {
  /// The URL, for messages.
  var name: String {
    switch self {
    case .original(let url, _), .document(let url): url
    case .variant(let source, let recipe): source + " " + recipe
    }
  }
}
