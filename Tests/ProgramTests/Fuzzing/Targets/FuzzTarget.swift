#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A reader of untrusted bytes, with the properties that must hold of its results.
///
/// `Fuzz/run` builds one program of these files and runs it under libFuzzer; the tests run the same
/// checks on the seeds.
enum FuzzTarget: String, CaseIterable {
  case html, feed, url, fields, cacheControl, trace, resp, tier, player

  /// Reads the bytes.
  ///
  /// - Throws: ``FuzzFailure`` when a property does not hold; never for malformed input.
  func check(_ bytes: [UInt8]) throws(FuzzFailure) {
    switch self {
    case .html: try HTMLTarget.check(bytes)
    case .feed: try FeedTarget.check(bytes)
    case .url: try URLTarget.check(bytes)
    case .fields: try FieldsTarget.check(bytes)
    case .cacheControl: try CacheControlTarget.check(bytes)
    case .trace: try TraceTarget.check(bytes)
    case .resp: try ReplyTarget.check(bytes)
    case .tier: try TierTarget.check(bytes)
    case .player: try PlayerTarget.check(bytes)
    }
  }

  /// The target that the environment variable `FUZZ_TARGET` names.
  fileprivate static let chosen = getenv("FUZZ_TARGET").flatMap {
    FuzzTarget(rawValue: String(cString: $0))
  }
}

/// A property that does not hold.
struct FuzzFailure: Error, CustomStringConvertible {
  let description: String
}

/// - Throws: ``FuzzFailure`` with the message, if the condition does not hold.
func require(
  _ condition: Bool, _ message: @autoclosure () -> String
) throws(FuzzFailure) {
  guard condition else { throw FuzzFailure(description: message()) }
}

/// The function that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let target = FuzzTarget.chosen else {
    preconditionFailure("FUZZ_TARGET names none of \(FuzzTarget.allCases.map(\.rawValue))")
  }
  do {
    try target.check(Array(UnsafeBufferPointer(start: start, count: count)))
  } catch {
    preconditionFailure(error.description)
  }
  return 0
}
