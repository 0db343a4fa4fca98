import ArgumentParser
import DiskCaching
import ImageFeeds
import ImageModel

extension DayRequest {
  @Sendable static func single(_ text: String) throws(ImageError) -> DayRequest {
    try DayRequest(text, allowsRange: false)
  }

  /// The days; of a range those with an image in the cache, and of `latest` the newest with one.
  func keys(in cache: DiskCache) async throws(ImageError) -> [DayKey] {
    let range = if case .range(let range) = self { range } else { ClosedRange<DayKey>?.none }
    let records = DayRecords(in: cache)
    let today = await records.zone(ofItems: .machine).day(at: cache.configuration.clock())
    if range == nil, case .day(let day)? = queries(today: today).first { return [day] }
    var days: [DayKey] = []
    for day in await records.imageDays where range?.contains(day) ?? days.isEmpty {
      if await records.imageCount(of: day, limit: 1) > 0 { days.append(day) }
    }
    guard !days.isEmpty else {
      throw ImageError(
        .dayNotFound,
        range.map { "no day of \($0.lowerBound)...\($0.upperBound) is kept" }
          ?? "no day is kept; 'imgcache prefetch' fetches one")
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
