import CPlatform

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif

/// The machine's processors, as far as this process may use them.
public enum Processors {
  /// How many, by the process's affinity: with more threads than that, they take turns on one.
  public static let usableCount: Int = {
    let count = Int(imgc_usable_processor_count())
    return count > 0 ? count : max(1, ProcessInfo.processInfo.activeProcessorCount)
  }()
}
