import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `Date`, written anew once a second.
final class DateField: Sendable {
  private let clock: @Sendable () -> Date
  private let kept = Locked((second: Int.min, text: ""))

  init(clock: @escaping @Sendable () -> Date) {
    self.clock = clock
  }

  var text: String {
    let now = clock()
    let second = Int(now.timeIntervalSince1970)
    return kept.withLock { kept in
      if kept.second != second { kept = (second, HTTPDate.format(now)) }
      return kept.text
    }
  }
}
