import ImageModel

extension DayArchive {
  /// Writes readable copies of the images of some days that are in the cache, with an index and
  /// pages for viewing; sends no request to an origin.
  ///
  /// - Parameters:
  ///   - days: The days. Default: the latest.
  ///   - export: The folder, and how the copies are made.
  ///   - includingPages: Whether the images and texts of the stories' own pages are included.
  ///     Default: no.
  /// - Returns: The counts; images that are not in the cache have failed.
  /// - Throws: `ImageError`: `storeFailed` or `diskFull` when a file cannot be placed; or
  ///   `CancellationError`.
  @discardableResult
  public func export(
    _ days: [DayRequest] = [.latest], to export: DayExport, includingPages: Bool = false
  ) async throws -> PrefetchProgress {
    var options = Options()
    options.policy = .onlyIfCached
    options.includesPages = includingPages
    let entries = Locked(export)
    let progress = try await prefetch(days, options: options) { event, _ in
      entries.withLock { $0.add(event) }
    }
    try await place(entries.withLock { $0 }, includingPages: includingPages)
    return progress
  }

  /// Places the files, indexes and pages of an export.
  ///
  /// - Parameters:
  ///   - export: The images that were added to it, and the folder.
  ///   - includingPages: Whether the texts of the stories' own pages are included, as far as they
  ///     are in the cache.
  /// - Returns: Remarks for the user, such as that a file of another origin kept its name.
  /// - Throws: The first `ImageError` (`storeFailed`, `diskFull`), after all else was placed.
  @discardableResult
  public func place(_ export: DayExport, includingPages: Bool) async throws -> [String] {
    try await withRecords { [self] records in
      // Steps on threads that may block: folders are locked meanwhile.
      guard let target = try await records.cache.perform({ _ in try export.open() }) else {
        return []
      }
      var notes: [String] = []
      var failure: (any Error)?
      // Made once: a feed keeps what it has read.
      var feeds: [FeedSource: any ImageFeed] = [:]
      for day in export.days {
        let texts = includingPages ? await texts(of: export.stories(of: day), &feeds) : []
        do {
          notes += try await records.cache.perform { store in
            try export.write(day, texts: texts, to: target, from: store)
          }
        } catch {
          failure = failure ?? error
        }
      }
      do {
        notes += try await records.cache.perform { _ in try target.finish() }
      } catch {
        failure = failure ?? error
      }
      if let failure { throw failure }
      return notes
    }
  }

  /// The texts of stories, sanitised, as far as the cache has them.
  private func texts(
    of stories: [DayExport.Story], _ feeds: inout [FeedSource: any ImageFeed]
  ) async -> [String?] {
    var texts: [String?] = []
    for story in stories {
      if feeds[story.source] == nil {
        feeds[story.source] = try? feed(story.source, isRemembered: isRemembering)
      }
      let page = try? await feeds[story.source]?.page(of: story.story, policy: .onlyIfCached)
      // The addresses of images stay until it is known which of them have files.
      texts.append(try? page?.sanitized { PageImage(source: $0) })
    }
    return texts
  }
}
