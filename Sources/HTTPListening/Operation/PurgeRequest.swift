import DiskCaching
import HTTPListening
import ImageFeeds

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The body of `POST /purge`: `{"urls":[],"days":[],"tags":[]}`, each of which may be left out.
struct PurgeRequest: Sendable, Hashable {
  /// The maximum bytes of the body.
  static let maximumByteCount = 1 << 20

  var purge = CachePurge()
  var days: [DayKey] = []

  /// Reads a body.
  ///
  /// - Throws: ``Problem`` 400 for anything else than such an object: a misspelled member would
  ///   leave something in the cache.
  init(body: [UInt8]) throws(Problem) {
    guard let lists = try? JSONDecoder().decode([String: [String]].self, from: Data(body)) else {
      throw Problem(.badRequest, "bad_body", "The body is not an object of lists of strings.")
    }
    guard Set(lists.keys).isSubset(of: ["urls", "days", "tags"]) else {
      throw Problem(.badRequest, "bad_body", "The body has members other than urls, days and tags.")
    }
    purge.urls = lists["urls"] ?? []
    for day in lists["days"] ?? [] { days.append(try Self.day(day)) }
    for tag in lists["tags"] ?? [] { purge.tags.append(try Self.tag(tag)) }
  }

  static func day(_ text: String) throws(Problem) -> DayKey {
    guard let day = DayKey(text), text.utf8.count == 8 else {
      throw Problem(.badRequest, "bad_day", "A day is written YYYYMMDD.")
    }
    return day
  }

  static func tag(_ text: String) throws(Problem) -> CacheTag {
    guard let tag = CacheTag(text) else {
      throw Problem(
        .badRequest, "bad_tag", "A tag is visible ASCII without spaces and commas.")
    }
    return tag
  }
}
