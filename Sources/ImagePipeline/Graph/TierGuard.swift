import DiskCaching
import HTTPCaching
import ImageModel

/// The shared tier, as one load sees it: whether it permits a stored entry to answer, and what other
/// servers have. Without a tier, any entry may answer, and everything is made here.
struct TierGuard: LoadPart {
  let load: Load

  /// Whether the stored response of an original, or a result of it, may answer: not if another
  /// server has purged it, which removes it here as well.
  ///
  /// If the tier cannot decide that, the entry answers, and is revalidated in the background.
  ///
  /// - Parameter record: The record of the original.
  func permits(_ record: CacheRecord) async -> Bool {
    guard let tier = resolved.tier else { return true }
    let start = ContinuousClock.now
    switch await tier.validity(of: resolved.cacheURL, under: record.generation) {
    case .valid(let wasAsked):
      if wasAsked { recorder.record(.shared, "asked whether it was purged", since: start) }
      return true
    case .doubtful:
      recorder.record(.shared, "does not know it", since: start)
      if resolved.policy == .http { graph.refresh(resolved) }
      return true
    case .purged:
      recorder.record(.shared, "purged", since: start)
      graph.negatives.forget([resolved.cacheURL])
      // What was made of it is found out when it is asked for.
      _ = try? await graph.executor.run(priority: resolved.request.priority) {
        let same = disk?.variations(of: resolved.cacheURL).filter {
          $0.generation == record.generation
        }
        try disk?.remove((same ?? []).map(\.key) + [record.key])
      }
      return false
    }
  }
}
