import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The value of `Date`, formatted once a second.
package final class DateField: Sendable {
  private let clock: @Sendable () -> Date
  private let cached = Locked((second: Int.min, text: ""))

  package init(clock: @escaping @Sendable () -> Date) {
    self.clock = clock
  }

  package var text: String {
    let now = clock()
    let second = Int(now.timeIntervalSince1970)
    return cached.withLock { cached in
      if cached.second != second { cached = (second, HTTPDate.format(now)) }
      return cached.text
    }
  }
}
