import HTTPTypes
import Testing

@testable import CachePolicies
@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline

private let url = "http://test.invalid/a.jpg"

/// A request that differs from the plain one.
private func request(_ change: (inout ImageRequest) -> Void = { _ in }) -> ImageRequest {
  var request = ImageRequest(url: url)
  change(&request)
  return request
}

private let thumbnail = ThumbnailRecipe(size: PixelSize(width: 20, height: 10))

@Suite struct `The identity of a result` {
  @Test func `is full for the decoded original, or that of its recipe, before the steps`() {
    let alone = request { $0.thumbnail = thumbnail }
    let processed = request {
      $0.thumbnail = thumbnail
      $0.processors = [Blur(radius: 4), Orient(6)]
    }
    #expect(request().resultIdentity(of: .png) == "full")
    #expect(alone.resultIdentity(of: .png) == thumbnail.identity)
    #expect(processed.resultIdentity == "\(thumbnail.identity)|chain(9:blur(4.0)9:orient(6))")
  }

  @Test(arguments: [(ImageFormat.png, ImageFormat?.some(.png)), (.gif, .gif), (.jpeg, nil)])
  func `of a thumbnail in the format of its original depends on that format`(
    format: ImageFormat, kept: ImageFormat?
  ) {
    var following = thumbnail
    following.formatsBySource = [.png: .png, .gif: .gif]
    var expected = thumbnail
    expected.format = kept
    let asked = request { $0.thumbnail = following }

    #expect(asked.resultIdentity(of: format) == expected.identity)
    #expect(asked.resultIdentity(of: nil) == following.identity)
  }
}

@Suite struct `The key of an image in memory` {
  /// Requests for one image in different ways.
  static let sameImage: [(String, ImageRequest)] = [
    ("policy", request { $0.cache.policy = .reload }),
    ("priority", request { $0.priority = .high }),
    ("check", request { $0.decoding.check = .none }),
    ("kept", request { $0.storage.retention = .pinned }),
    ("groups", request { $0.storage.groups = ["day:20200616"] }),
    ("storage", request { $0.storage.rule = .both }),
    ("memory", request { $0.cache.keepsInMemory = false }),
    ("alternates", request { $0.network.alternates = ["http://test.invalid/b.jpg"] }),
    ("placeholder", request { $0.placeholder = .color(.black) }),
    ("timeout", request { $0.network.timeout = .seconds(1) }),
  ]

  /// Requests for other images.
  static let otherImages: [(String, ImageRequest)] = [
    ("fields", request { $0.network.headers[.accept] = "image/webp" }),
    ("thumbnail", request { $0.thumbnail = thumbnail }),
    ("step", request { $0.processors = [Blur(radius: 4)] }),
  ]

  @Test func `is the same however an image is requested, and differs for another one`() throws {
    let plain = request().memoryKey(cacheURL: url)
    for (what, asked) in Self.sameImage {
      #expect(asked.memoryKey(cacheURL: url) == plain, "\(what)")
    }
    for (what, asked) in Self.otherImages {
      #expect(asked.memoryKey(cacheURL: url) != plain, "\(what)")
    }
    let keys = try ["a: X-Key: 1", "a: X-Key: 2"].map {
      request().memoryKey(cacheURL: url, originHeaders: try OriginHeaders([$0]))
    }
    #expect(Set(keys + [plain]).count == 3)
  }
}

@Suite struct `The identity of an original` {
  private static func identity(
    _ request: ImageRequest, cacheURL: String = url, policy: CachePolicy = .http,
    epoch: UInt64 = 0
  ) -> OriginalIdentity {
    OriginalIdentity(request, cacheURL: cacheURL, policy: policy, epoch: epoch)
  }

  static let sameLoad: [(String, ImageRequest)] = [
    ("priority", request { $0.priority = .high }),
    ("groups", request { $0.storage.groups = ["day:20200616"] }),
    ("storage", request { $0.storage.rule = .both }),
    ("memory", request { $0.cache.keepsInMemory = false }),
    ("timeout", request { $0.network.timeout = .seconds(1) }),
    ("thumbnail", request { $0.thumbnail = thumbnail }),
    ("step", request { $0.processors = [Blur(radius: 4)] }),
  ]

  static let otherLoads: [(String, ImageRequest)] = [
    ("check", request { $0.decoding.check = .none }),
    ("kept", request { $0.storage.retention = .pinned }),
    ("fields", request { $0.network.headers[.accept] = "image/webp" }),
    ("alternates", request { $0.network.alternates = ["http://test.invalid/b.jpg"] }),
    ("URL", ImageRequest(url: "\(url)?2")),
  ]

  @Test func `is the same whatever is made of it, and differs where another load is needed`() {
    let plain = Self.identity(request())
    for (what, asked) in Self.sameLoad { #expect(Self.identity(asked) == plain, "\(what)") }
    for (what, asked) in Self.otherLoads { #expect(Self.identity(asked) != plain, "\(what)") }
    #expect(Self.identity(request(), policy: .revalidate) != plain)
    #expect(Self.identity(request(), cacheURL: "\(url)?2") != plain)
    #expect(Self.identity(request(), epoch: 1) != plain)
  }
}
