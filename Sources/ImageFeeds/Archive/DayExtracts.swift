import DiskCaching
import ImageModel
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What was taken from the documents of days, kept in the cache so that no process reads them for it
/// again: a document for each month and kind, `days#texts-202006`.
///
/// An extract counts as long as the records of its day and the entries that it was read from are as
/// they were. Those that are missing, damaged or out of date are made again, so the documents can be
/// removed at any time; of two processes that write one at once, the last one wins.
final class DayExtracts: Sendable {
  enum Kind: String, CaseIterable {
    /// ``DayCounts``.
    case counts
    /// Stories with their texts, for a search.
    case texts
  }

  struct Extract: Sendable {
    /// See ``DayRecords/All/bases(in:at:)``.
    let basis: String
    let inputs: DayInputs
    /// Empty for a day whose documents are gone.
    let bytes: ArraySlice<UInt8>

    func isCurrent(_ basis: String?, in store: DiskStore) -> Bool {
      self.basis == basis && inputs.hold(in: store)
    }
  }

  typealias Month = [DayKey: Extract]

  /// Months that could not be kept: of a cache that is not writable, or where this process, or one
  /// that fetched a document, sends credentials, which other processes may not have.
  private struct Unkept: Sendable {
    static let maximumByteCount = 64 << 20
    var table: UInt64 = 0
    var months: [String: [UInt8]] = [:]
    var byteCount: Int { months.values.reduce(0) { $0 + $1.count } }
  }

  private let kind: Kind
  private let unkept = Locked(Unkept())
  private static let magic: UInt64 = 0x3131_5359_4144_4D49

  init(_ kind: Kind) { self.kind = kind }

  /// Returns the extracts of a month, those of `days` up to date, newest first. Those that are not
  /// are made while `mayMake` returns true; the others are left out.
  func read(
    _ days: [DayKey], of archive: DayArchive, _ all: DayRecords.All, _ bases: [DayKey: String],
    while mayMake: () -> Bool = { true }
  ) async throws -> Month {
    guard let first = days.first else { return [:] }
    let cache = try await archive.withRecords { $0.cache }
    let isShared =
      archive.pipeline.configuration.fetcher.originHeaders.isEmpty
      && cache.configuration.originHeaders.isEmpty
    let name = Self.name(kind, first)
    let known = await kept(name, isShared, in: cache)
    let stale = await cache.perform { store in
      days.filter { !(known[$0]?.isCurrent(bases[$0], in: store) ?? false) }
    }
    var month = known.filter { day, _ in bases[day] != nil && !stale.contains(day) }
    for day in stale {
      let isFull = unkept.withLock { $0.byteCount > Unkept.maximumByteCount }
      guard mayMake(), kind == .counts || !isFull else { break }
      month[day] = try await extract(day, basis: bases[day] ?? "", archive, all, cache)
      try Task.checkCancellation()
      // Thumbnails are made on the same threads.
      await Task.yield()
    }
    // Nothing is kept of those that were read from files.
    guard stale.contains(where: { month[$0]?.inputs.revisions != nil }) else { return month }
    await keep(month, as: name, isShared, in: cache)
    return month
  }

  private func extract(
    _ day: DayKey, basis: String, _ archive: DayArchive, _ all: DayRecords.All, _ cache: DiskCache
  ) async throws -> Extract {
    let inputs = DayInputs(in: cache)
    let bytes = try await DayInputs.$current.withValue(inputs) {
      try await self.taken(from: day, archive, all)
    }
    return Extract(basis: basis, inputs: inputs, bytes: bytes[...])
  }

  private func taken(
    from day: DayKey, _ archive: DayArchive, _ all: DayRecords.All
  ) async throws -> [UInt8] {
    let sources = DayRecords.sources(in: all.rows[day] ?? [:])
    do {
      guard let kept = try await archive.kept(day, from: sources, all.titles, leavingOut: [])
      else { return [] }
      return kind == .counts ? DayCounts(kept.union.day).bytes : await archive.texts(of: kept)
    } catch let error as ImageError {
      // What cannot be read has no words; that hides no other day.
      if kind == .counts { throw error }
      return []
    }
  }

  // MARK: Documents

  private static func name(_ kind: Kind, _ day: DayKey) -> String {
    "days#\(kind.rawValue)-\(day.description.prefix(6))"
  }

  /// The days of each month, in order.
  static func months(of days: some Sequence<DayKey>) -> [[DayKey]] {
    days.reduce(into: []) { months, day in
      if let last = months.last?.last, last.parts.month == day.parts.month,
        last.parts.year == day.parts.year
      {
        months[months.count - 1].append(day)
      } else {
        months.append([day])
      }
    }
  }

  /// Removes what is kept of a day, with the rest of its month.
  static func forget(_ day: DayKey, in cache: DiskCache) async throws(ImageError) {
    _ = try await cache.remove(Kind.allCases.map { .document(url: name($0, day)) })
  }

  private func kept(_ name: String, _ isShared: Bool, in cache: DiskCache) async -> Month {
    let table = cache.core.tableIdentity
    let own = unkept.withLock { $0.table == table ? $0.months[name] : nil }
    if let own { return Self.month(own, cache) }
    guard isShared, let entry = await cache.read(.document(url: name)) else { return [:] }
    return Self.month(entry.bytes, cache)
  }

  private func keep(
    _ month: Month, as name: String, _ isShared: Bool, in cache: DiskCache
  ) async {
    let shared = month.filter { !$1.inputs.isMarked }
    var isKept = false
    if isShared, cache.core.isWritable {
      let record = CacheRecord(key: .document(url: name), at: cache.configuration.clock())
      isKept = (try? await cache.store(Self.bytes(of: shared), record)) != nil
    }
    let table = cache.core.tableIdentity
    let rest = isKept && shared.count == month.count ? nil : Self.bytes(of: month)
    unkept.withLock { unkept in
      if unkept.table != table { unkept = Unkept(table: table) }
      unkept.months[name] = rest
    }
  }

  /// The number that begins each document, a checksum, and for each day its number, its basis, its
  /// inputs and its bytes.
  private static func bytes(of month: Month) -> [UInt8] {
    var writer = ByteWriter()
    writer.integer(magic)
    writer.integer(UInt32(0))
    for (day, extract) in month.sorted(by: { $0.key > $1.key }) {
      guard let revisions = extract.inputs.revisions else { continue }
      writer.integer(Int64(day.ordinal))
      writer.text(extract.basis)
      revisions.write(to: &writer)
      writer.integer(UInt8(extract.inputs.isMarked ? 1 : 0))
      writer.integer(UInt32(clamping: extract.bytes.count))
      extract.bytes.withUnsafeBytes { writer.append($0) }
    }
    writer.set(checksum(of: writer.bytes), at: 8)
    return writer.bytes
  }

  private static func checksum(of bytes: [UInt8]) -> UInt32 {
    bytes.withUnsafeBytes { CRC32C.checksum(of: UnsafeRawBufferPointer(rebasing: $0[12...])) }
  }

  /// Nothing for what is not such a document.
  private static func month(_ bytes: [UInt8], _ cache: DiskCache) -> Month {
    guard bytes.count >= 12 else { return [:] }
    let sum = checksum(of: bytes)
    return bytes.withUnsafeBytes { raw in
      var reader = ByteReader(raw)
      guard reader.integer(UInt64.self) == magic, reader.integer(UInt32.self) == sum else {
        return [:]
      }
      var month: Month = [:]
      while reader.offset < raw.count {
        let day = DayKey(ordinal: Int(reader.integer(Int64.self)))
        let basis = reader.text()
        let inputs = DayInputs(
          in: cache, EntryRevisions(&reader), isMarked: reader.integer(UInt8.self) == 1)
        let count = reader.bytes(Int(reader.integer(UInt32.self))).count
        if reader.isOverrun { return [:] }
        month[day] = Extract(
          basis: basis, inputs: inputs, bytes: bytes[reader.offset - count..<reader.offset])
      }
      return month
    }
  }
}

extension DayRecords.All {
  /// For each day what the reading of its documents depends on besides them: its feeds, their titles,
  /// and whether it is over.
  func bases(in zone: DayZone, at moment: Date) -> [DayKey: String] {
    let today = [.utcPlus8, zone].map { $0.day(at: moment) }
    return Dictionary(
      uniqueKeysWithValues: rows.map { day, rows in
        let feeds = rows.sorted { $0.key < $1.key }.map { name, text in
          "\(name)\n\(text)\n\(titles[String(name.drop { $0 != " " }.dropFirst())] ?? "")"
        }
        let times = today.map { day < $0 ? "over" : day == $0 ? "today" : "ahead" }
        return (day, (feeds + times + ["\(zone)"]).joined(separator: "\n"))
      })
  }
}
