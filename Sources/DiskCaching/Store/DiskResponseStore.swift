package import HTTPCaching
package import HTTPTypes
package import ImageModel

/// The originals or the documents of a cache directory, as an HTTP cache sees them.
package struct DiskResponseStore: ResponseStore {
  package struct Entry: StoredEntry {
    package var record: CacheRecord
    package let response: StoredResponse
    /// Those of the request that it may answer.
    fileprivate let credentials: RequestCredentials
    /// The reason why the directory could not store a confirmation of the origin.
    package var failure: ImageError?
  }

  /// The kind of entries that are looked up under a URL.
  package enum Kind { case originals, documents }

  /// The directory; without one there is nothing.
  package let disk: DiskStore?
  package let kind: Kind
  private let headers: OriginHeaders

  /// - Parameter headers: Default: those of the directory's configuration.
  package init(disk: DiskStore?, kind: Kind, headers: OriginHeaders? = nil) {
    self.disk = disk
    self.kind = kind
    self.headers = headers ?? disk?.configuration.originHeaders ?? OriginHeaders()
  }

  package func entries(for url: String, request: HTTPFields) -> [Entry] {
    guard let disk else { return [] }
    let credentials = RequestCredentials(request, for: url, headers: headers)
    switch kind {
    case .originals:
      let now = disk.configuration.clock()
      return disk.variations(for: credentials).compactMap { record in
        // The memory of a failure ends.
        guard record.isUsableByPipelines,
          !record.isNegative || record.expires.map({ $0 > now }) ?? true
        else { return nil }
        return Entry(
          record: record, response: disk.response(of: record, to: request), credentials: credentials
        )
      }
    case .documents:
      guard let record = disk.record(for: .document(url: url)), !record.isNegative,
        disk.shows(record, to: credentials)
      else { return [] }
      var response = StoredResponse(record)
      // A document is always requested alike, so its Vary selects nothing.
      response.selection =
        VaryKey(answer: response.fields, request: request)?.description ?? response.selection
      return [Entry(record: record, response: response, credentials: credentials)]
    }
  }

  package func update(_ entry: Entry, as response: StoredResponse, for url: String) -> Entry {
    var record = entry.record
    record.adopt(response.withoutCookieValues)
    var entry = Entry(record: record, response: response, credentials: entry.credentials)
    do throws(ImageError) {
      switch kind {
      case .originals:
        entry.record =
          try disk?.update(
            record.key, of: url, as: response.withoutCookieValues, to: entry.credentials) ?? record
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
