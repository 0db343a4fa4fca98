import DiskCaching
import ImageModel

/// The months of an ``ItemArchive`` that were read last, for all feeds of an archive of days: a run
/// keeps those of its feeds, then goes through their days.
final class ItemMonths: Sendable {
  struct Month: Sendable {
    var name: String
    var bytes: [UInt8]
    var filed: [ItemArchive.Filed]
    /// The document in the cache as it was before it was read; `nil` without a cache.
    var revisions: EntryRevisions?

    func items(of day: DayKey) -> [FeedItem] {
      filed.filter { $0.day == day }.map { filed in
        var item = filed.item
        item.day = day
        return item
      }
    }
  }

  private static let maximumByteCount = 32 << 20
  private let months = Locked<[Month]>([])

  subscript(name: String) -> Month? { months.withLock { $0.first { $0.name == name } } }

  func record(_ month: Month) {
    months.withLock { months in
      months.removeAll { $0.name == month.name }
      months.append(month)
      var byteCount = months.reduce(0) { $0 + $1.bytes.count }
      while byteCount > Self.maximumByteCount, months.count > 1 {
        byteCount -= months.removeFirst().bytes.count
      }
    }
  }
}
