import ArgumentParser
import DiskCaching
import ImageFeeds
import ImageModel

extension DayRequest {
  @Sendable static func single(_ text: String) throws(ImageError) -> DayRequest {
    try DayRequest(text, allowsRange: false)
  }

  /// A day of the cache; `latest` is the newest with an image.
  func key(in cache: DiskCache) async throws(ImageError) -> DayKey {
    let today = DayKey.today(at: cache.configuration.clock())
    if case .day(let day)? = queries(today: today).first { return day }
    let records = DayRecords(in: cache)
    for day in await records.imageDays where await records.imageCount(of: day, limit: 1) > 0 {
      return day
    }
    throw ImageError(.dayNotFound, "no day is kept; 'imgcache prefetch' fetches one")
  }

  /// The days; of a range those with an image in the cache.
  func keys(in cache: DiskCache) async throws(ImageError) -> [DayKey] {
    guard case .range(let range) = self else { return [try await key(in: cache)] }
    let records = DayRecords(in: cache)
    var days: [DayKey] = []
    for day in await records.imageDays where range.contains(day) {
      if await records.imageCount(of: day, limit: 1) > 0 { days.append(day) }
    }
    guard !days.isEmpty else {
      throw ImageError(
        .dayNotFound,
        "no day of \(range.lowerBound)...\(range.upperBound) is kept")
    }
    return days.sorted()
  }
}

enum DayOrURL: Hashable, Sendable {
  case url(String)
  case days(DayRequest)

  init(_ text: String) throws(ImageError) {
    self = ImageSource.isURL(text) ? .url(text) : .days(try DayRequest(text))
  }
}

extension [DayOrURL] {
  var urls: [String] { compactMap { if case .url(let url) = $0 { url } else { nil } } }
  var days: [DayRequest] { compactMap { if case .days(let days) = $0 { days } else { nil } } }
}
