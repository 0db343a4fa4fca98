import Foundation
import ImageModel

/// Answers from a table and stores its responses, like a cache in front of an origin.
actor StubDocuments: DocumentLoading {
  private var answers: [String: Result<[UInt8], ImageError>]
  private var kept: [String: Document] = [:]
  /// The URLs requested at the origin, in order.
  private(set) var requests: [String] = []
  /// The maximum number of concurrent requests.
  private(set) var highWater = 0
  private var underWay = 0
  /// The requests that a fresh kept document would have answered.
  private(set) var unconditional = 0
  /// The number of documents stored under the caller's own name.
  private(set) var keepCount = 0

  init(_ answers: [String: String]) {
    self.answers = answers.mapValues { .success(Array($0.utf8)) }
  }

  func answer(_ url: String, with text: String) { answers[url] = .success(Array(text.utf8)) }

  func answer(_ url: String, with error: ImageError) { answers[url] = .failure(error) }

  func failAll(with error: ImageError) { answers = answers.mapValues { _ in .failure(error) } }

  func clearLog() { requests = [] }

  func document(at url: String, options: DocumentOptions) async throws -> Document {
    if options.isOffline {
      guard var copy = kept[url] else {
        throw ImageError(.notCached, "\(url) is not in the cache")
      }
      copy.source = .disk
      return copy
    }
    requests.append(url)
    if !options.revalidates { unconditional += 1 }
    underWay += 1
    highWater = max(highWater, underWay)
    await Task.yield()
    underWay -= 1
    let missing = ImageError(.httpStatus, "HTTP 404", status: 404)
    let bytes = try (answers[url] ?? .failure(missing)).get()
    let document = Document(
      url: url, bytes: bytes, mediaType: "application/json", source: .network,
      fetchedAt: Date(timeIntervalSince1970: 0))
    kept[url] = document
    return document
  }

  func keptDocument(named name: String) -> Document? { kept[name] }

  func keep(_ document: Document, as name: String) {
    keepCount += 1
    kept[name] = document
  }
}
