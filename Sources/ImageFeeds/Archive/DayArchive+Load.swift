import ImageModel
import ImagePipeline

/// The images of a day: from disk, or loaded.
extension DayArchive {
  /// Those images that are on disk and may be used without a request to their origin, in order.
  func kept(_ images: [DayImage], _ options: Options) async throws -> [ArchivedImage] {
    let requests = images.map { request(for: $0, options, isMember: true) }
    return zip(images, try await pipeline.stored(requests)).compactMap { image, response in
      response.map { response in
        ArchivedImage(
          image: image, outcome: .success(response), thumbnails: [],
          elapsed: response.steps.first?.elapsed ?? .zero, source: response.source)
      }
    }
  }

  /// - Parameter isMember: Whether it is stored as an image of its day.
  private func request(
    for image: DayImage, _ options: Options, isMember: Bool
  ) -> ImageRequest {
    var request = ImageRequest(url: image.image.url)
    request.priority = .prefetch
    request.storage.rule = .always
    request.cache.policy = options.policy
    request.decoding.check = options.check
    if isMember {
      request.storage.retention = .pinned
      request.storage.groups = [image.day.group]
    }
    return request
  }

  func load(_ image: DayImage, _ options: Options) async throws -> ArchivedImage {
    let start = ContinuousClock.now
    var request = request(for: image, options, isMember: !options.filter.judgesContent)
    var source: LoadSource?
    do {
      if options.filter.judgesContent {
        let response = try await pipeline.data(for: request)
        guard options.filter.admits(response.size, byteCount: response.byteCount) else {
          var skipped = ArchivedImage(
            image: image, outcome: .success(response), thumbnails: [],
            elapsed: ContinuousClock.now - start, source: response.source)
          skipped.isSkipped = true
          return skipped
        }
        source = response.source
        request = self.request(for: image, options, isMember: true)
        request.cache.policy = .onlyIfCached
      }
      let response = try await pipeline.data(for: request, thumbnails: options.thumbnails)
      return ArchivedImage(
        image: image, outcome: .success(response.original),
        thumbnails: response.thumbnails.map { made in
          made.flatMap { made in made.storeFailure.map { .failure($0) } ?? .success(made) }
        },
        elapsed: ContinuousClock.now - start, source: source ?? response.original.source)
    } catch let error as ImageError {
      return ArchivedImage(
        image: image, outcome: .failure(error), thumbnails: [],
        elapsed: ContinuousClock.now - start)
    }
  }
}
