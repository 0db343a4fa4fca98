package import HTTPCaching
package import HTTPTypes
package import ImageModel

/// The originals or the documents of a cache directory, as an HTTP cache sees them.
package struct DiskResponseStore: ResponseStore {
  package struct Entry: StoredEntry {
    package var record: CacheRecord
    package let response: StoredResponse
    /// The reason why the directory could not store a confirmation of the origin.
    package var failure: ImageError?
  }

  /// The kind of entries that are looked up under a URL.
  package enum Kind { case originals, documents }

  /// The directory; without one there is nothing.
  package let disk: DiskStore?
  package let kind: Kind

  package init(disk: DiskStore?, kind: Kind) {
    self.disk = disk
    self.kind = kind
  }

  package func entries(for url: String, request: HTTPFields) -> [Entry] {
    guard let disk else { return [] }
    switch kind {
    case .originals:
      let now = disk.configuration.clock()
      return disk.variations(of: url).compactMap { record in
        guard record.isUsableByPipelines, disk.shows(record) else { return nil }
        // The memory of a failure ends. With other fields for its host the origin may answer
        // otherwise.
        if record.isNegative,
          record.expires.map({ $0 <= now }) ?? false || record.originMark != disk.mark(ofURL: url)
        {
          return nil
        }
        return Entry(record: record, response: StoredResponse(record))
      }
    case .documents:
      guard let record = disk.record(for: .document(url: url)), !record.isNegative else {
        return []
      }
      var response = StoredResponse(record)
      // A document is always requested alike, so its Vary selects nothing.
      response.selection =
        VaryKey(answer: response.fields, request: request)?.description ?? response.selection
      return [Entry(record: record, response: response)]
    }
  }

  package func update(_ entry: Entry, as response: StoredResponse, for url: String) -> Entry {
    var record = entry.record
    record.adopt(response.withoutCookieValues)
    var entry = Entry(record: record, response: response)
    do throws(ImageError) {
      switch kind {
      case .originals:
        entry.record =
          try disk?.update(record.key, of: url, as: response.withoutCookieValues) ?? record
      case .documents: try disk?.update(record)
      }
    } catch {
      entry.failure = error
    }
    return entry
  }

  package func remove(_ entry: Entry, for url: String) {
    _ = try? disk?.remove([entry.record.key])
  }

  package func removeAll(for url: String) {
    _ = try? disk?.remove(urls: [url])
  }
}

extension StoredResponse {
  /// The response with an empty `Set-Cookie` in place of any: whether there was one decides whether
  /// a shared cache may use the entry, its value is a secret that no image needs.
  package var withoutCookieValues: StoredResponse {
    guard fields.contains(.setCookie) else { return self }
    var response = self
    response.fields[.setCookie] = ""
    return response
  }
}
