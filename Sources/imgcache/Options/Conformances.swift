import ArgumentParser
import ImageFeeds
import ImagePipeline

// The library's own words, as they are typed.

extension ImageCheck: ExpressibleByArgument {}
extension FitMode: ExpressibleByArgument {}
extension DiskCache.Durability: ExpressibleByArgument {}
extension DiskCache.ReadVerification: ExpressibleByArgument {}

extension DayKey: ExpressibleByArgument {
  /// Reads `YYYYMMDD`, `YYYY-MM-DD` or `YYYY/MM/DD`.
  public init?(argument: String) { self.init(argument) }
}
