import ArgumentParser
import FoundationEssentials
import ImageFeeds
import ImagePipeline

/// A `--day` of what is kept: any `DAY` that means a single one.
struct KeptDay: ExpressibleByArgument {
  private let request: DayRequest

  init?(argument: String) {
    guard let request = DayRequest(argument: argument) else { return nil }
    if case .range = request { return nil }
    self.request = request
  }

  /// Which day that is now; `latest` is the newest with an image in the cache.
  ///
  /// - Throws: ``ImageError`` with code `dayNotFound` for `latest` where none has.
  func key(in cache: DiskCache) throws(ImageError) -> DayKey {
    let today = DayKey.today(at: cache.configuration.clock())
    if case .day(let day)? = request.queries(today: today).first { return day }
    let days = cache.groups().compactMap(Group.day(of:)).sorted(by: >)
    guard let newest = days.first(where: { Self.hasImage($0, in: cache) }) else {
      throw ImageError(.dayNotFound, "no day is kept; 'imgcache prefetch' fetches one")
    }
    return newest
  }

  private static func hasImage(_ day: DayKey, in cache: DiskCache) -> Bool {
    var found = false
    cache.forEachEntry(matching: EntrySelection(group: Group.day(day), kind: .original)) {
      found = !$0.isNegative
      return !found
    }
    return found
  }
}
