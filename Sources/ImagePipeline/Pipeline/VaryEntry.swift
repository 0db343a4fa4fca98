import HTTPTypes

/// Finds the entry for a request among several answers of one URL (RFC 9111 §4.1).
///
/// The first answer stands under the URL; with it stand the request's fields that its `Vary` named. An answer to
/// a request that differs in them stands beside it, under the URL and those fields. So tools that know the URL alone
/// find the first.
struct VaryEntry {
  /// The URL as the pipeline's rule spells it.
  let spelled: String
  /// The fields that the request brings itself.
  let request: HTTPFields

  /// The field of a record that holds the selecting fields.
  private static let selectionName = HTTPField.Name("imgcache-selected-by")

  private var primary: CacheKey { .original(url: spelled) }

  /// The entry that may answer the request; `nil` when there is none.
  func read(from disk: DiskCache, protecting: Bool) -> CachedEntry? {
    guard let entry = disk.read(primary, protecting: protecting) else { return nil }
    if entry.record.isNegative { return entry }
    guard entry.record.headers.first("vary") != nil else { return entry }
    let fields = entry.record.headers.fields
    if matches(fields) { return entry }
    guard let key = secondary(of: fields),
      let other = disk.read(key, protecting: protecting), matches(other.record.headers.fields)
    else { return nil }
    return other
  }

  /// What is known of the entry that may answer the request; `nil` when there is none, or only the memory of a failure.
  func record(in disk: DiskCache) -> CacheRecord? {
    guard let record = disk.record(for: primary), !record.isNegative else { return nil }
    guard record.headers.first("vary") != nil else { return record }
    let fields = record.headers.fields
    if matches(fields) { return record }
    guard let key = secondary(of: fields), let other = disk.record(for: key),
      matches(other.headers.fields)
    else { return nil }
    return other
  }

  /// Where an answer is to be stored: beside the first one where that was selected by other fields.
  func key(of answer: HTTPFields, in disk: DiskCache?) -> CacheKey {
    guard let disk, !answer[values: .vary].isEmpty, let kept = disk.record(for: primary),
      !kept.isNegative, !matches(kept.headers.fields), let key = secondary(of: answer)
    else { return primary }
    return key
  }

  /// What is written down with an answer: the request's fields that its `Vary` names.
  func selection(of answer: HTTPFields) -> HTTPFields {
    guard !answer[values: .vary].isEmpty, let name = Self.selectionName else { return [:] }
    return [name: digest(of: answer) ?? "*"]
  }

  private func matches(_ stored: HTTPFields) -> Bool {
    guard !stored[values: .vary].isEmpty, let name = Self.selectionName else { return true }
    return digest(of: stored).map { $0 == stored[name] } ?? false
  }

  private func secondary(of answer: HTTPFields) -> CacheKey? {
    VaryKey(answer: answer, request: request).map {
      .original(url: spelled, vary: $0.description)
    }
  }

  /// The selecting fields in a form that fits on a line; `nil` for `Vary: *`.
  private func digest(of answer: HTTPFields) -> String? {
    VaryKey(answer: answer, request: request).map { key in
      Array(key.description.utf8).withUnsafeBytes { SHA256.hash(of: $0).hex }
    }
  }
}
