import DiskCaching
public import ImageModel
import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An image of a day that is not in the cache.
public struct MissingImage: Sendable, Hashable {
  /// The day.
  public var day: DayKey
  /// The URL as the feed spells it.
  public var url: String
  /// Why the last run did not get it; `nil` if none tried.
  public var failure: ImageError.Code?
  /// The status of the response, where that is why.
  public var status: Int?
}

/// The images of a day that the last runs did not get or left out, as the cache records them: a row
/// for each day, `gaps-of:20200616`.
struct DayGaps: Codable, Sendable, Hashable {
  enum Change: Sendable, Hashable {
    case kept, skipped
    case failed(Failure)
  }

  struct Failure: Codable, Sendable, Hashable {
    var code: String
    var status: Int?
    /// Whether the page of a story named the image; one that the day itself named may be replaced.
    var isOfPage: Bool?

    init(_ error: ImageError, of image: DayImage) {
      (code, status) = (error.code.rawValue, error.status)
      isOfPage = image.isOfPage ? true : nil
    }
  }

  static let prefix = "gaps-of:"
  /// More are not recorded of a day.
  private static let maximumCount = 10_000

  private(set) var failed: [String: Failure] = [:]
  private(set) var skipped: Set<String> = []

  var isEmpty: Bool { failed.isEmpty && skipped.isEmpty }

  init() {}

  init?(row: String) {
    guard let gaps = try? JSONDecoder().decode(Self.self, from: Data(row.utf8)) else { return nil }
    self = gaps
  }

  var row: String? {
    isEmpty ? nil : (try? JSONText.encoded(self)).map { String(decoding: $0, as: UTF8.self) }
  }

  func contains(_ url: String) -> Bool { failed[url] != nil || skipped.contains(url) }

  mutating func apply(_ change: Change, to url: String) {
    failed[url] = nil
    skipped.remove(url)
    guard failed.count + skipped.count < Self.maximumCount else { return }
    switch change {
    case .kept: break
    case .skipped: skipped.insert(url)
    case .failed(let failure): failed[url] = failure
    }
  }
}

extension DayRecords {
  func gaps(of day: DayKey) async -> DayGaps {
    await cache.state("\(DayGaps.prefix)\(day)").flatMap(DayGaps.init(row:)) ?? DayGaps()
  }

  func change(_ changes: [DayKey: [String: DayGaps.Change]]) async throws(ImageError) {
    let names = changes.keys.map { "\(DayGaps.prefix)\($0)" }
    // The rows as they are now: another process may have added to them.
    try await cache.updateStates(names) { rows in
      var values: [String: String?] = [:]
      for (day, changes) in changes {
        let name = "\(DayGaps.prefix)\(day)"
        var gaps = rows[name].flatMap(DayGaps.init(row:)) ?? DayGaps()
        for (url, change) in changes { gaps.apply(change, to: url) }
        if gaps.row != rows[name] { values[name] = .some(gaps.row) }
      }
      return values
    }
  }
}

extension DayArchive {
  /// The images of days that are not in the cache, by day, the newest first, without those that were
  /// left out by an ``ImageFilter``.
  public func missingImages() async throws -> [MissingImage] {
    let gaps = try await withRecords { await $0.all.gaps }
    var missing: [MissingImage] = []
    for summary in try await summaries() where summary.missingImageCount > 0 {
      let named = try await day(summary.day)?.images.map(\.url) ?? []
      let gaps = gaps[summary.day] ?? DayGaps()
      for url in try await absent(Self.candidates(named, gaps)) {
        missing.append(
          MissingImage(
            day: summary.day, url: url,
            failure: gaps.failed[url].map { ImageError.Code(rawValue: $0.code) },
            status: gaps.failed[url]?.status))
      }
    }
    return missing
  }

  /// The images of a day that may be missing: those that it names, and those of the pages of stories
  /// that failed.
  static func candidates(_ named: [String], _ gaps: DayGaps) -> [String] {
    let known = Set(named.map(ExactString.init))
    return named
      + gaps.failed.filter { $1.isOfPage ?? false && !known.contains(ExactString($0)) }.keys
      .sorted()
  }

  private func absent(_ urls: [String]) async throws -> [String] {
    try await withRecords { records in
      let found = await records.cache.records(for: urls.map { .image(at: $0) })
      return urls.filter { found[.image(at: $0)]?.isNegative ?? true }
    }
  }
}
