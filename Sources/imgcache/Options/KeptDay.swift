import ArgumentParser
import DiskCaching
import ImageFeeds
import ImageModel

/// Days of the cache: any `DAY` of `prefetch`; as `--day` a single one.
struct KeptDay: Hashable, Sendable {
  private let request: DayRequest

  @Sendable static func parse(_ text: String) throws(ImageError) -> KeptDay {
    KeptDay(request: try DayRequest(text))
  }

  @Sendable static func single(_ text: String) throws(ImageError) -> KeptDay {
    KeptDay(request: try DayRequest(text, allowsRange: false))
  }

  /// The day of a `--day`; `latest` is the newest with an image in the cache.
  ///
  /// - Throws: ``ImageError`` with code `dayNotFound` for `latest` if no day has one.
  func key(in cache: DiskCache) async throws(ImageError) -> DayKey {
    let today = DayKey.today(at: cache.configuration.clock())
    if case .day(let day)? = request.queries(today: today).first { return day }
    let records = DayRecords(in: cache)
    for day in await records.imageDays where await records.imageCount(of: day, limit: 1) > 0 {
      return day
    }
    throw ImageError(.dayNotFound, "no day is kept; 'imgcache prefetch' fetches one")
  }

  /// The days; of a range those with an image in the cache.
  ///
  /// - Throws: ``ImageError`` with code `dayNotFound` if a range, or `latest`, has none.
  func keys(in cache: DiskCache) async throws(ImageError) -> [DayKey] {
    guard case .range(let range) = request else { return [try await key(in: cache)] }
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

/// An argument of `rm`: the URL of an image, or a day.
enum KeptSubject: Hashable, Sendable {
  case url(String)
  case day(KeptDay)

  /// - Throws: ``ImageError`` with code `invalidArgument` for anything else.
  @Sendable static func parse(_ text: String) throws(ImageError) -> KeptSubject {
    if ImageSource.isURL(text) { return .url(text) }
    do throws(ImageError) {
      return .day(try KeptDay.parse(text))
    } catch {
      throw ImageError(
        .invalidArgument, "neither an http, https or s3 URL nor a day: \(error.message)")
    }
  }
}
