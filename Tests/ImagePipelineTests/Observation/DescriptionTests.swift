import Foundation
import HTTPTypes
import Testing

@testable import DiskCaching
@testable import HTTPCaching
@testable import ImageCodecs
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

/// What the standard library and Swift Testing write of a value: each kind of description, and all
/// that its mirror has.
private func texts(of value: Any) -> [String] {
  var dumped = ""
  dump(value, to: &dumped)
  return ["\(value)", String(reflecting: value), "\([value])", dumped]
}

private let url = "https://example.org/a.jpg"
private let date = Date(timeIntervalSince1970: 1_592_300_000)

private func response(_ pixels: PixelBuffer) -> ImageResponse {
  ImageResponse(
    url: url, decoded: DecodedImage(pixels: pixels, format: .jpeg), source: .network,
    freshness: .current, steps: [LoadStep(.decode, "fine", elapsed: .milliseconds(5))],
    elapsed: .milliseconds(12))
}

private func data(_ body: DataResponse.Body) -> DataResponse {
  var record = CacheRecord.stub(byteCount: 4)
  record.format = .jpeg
  record.size = PixelSize(width: 1200, height: 800)
  record.headers = HeaderText([.eTag: String(repeating: "e", count: 2000)])
  return DataResponse(url, body, original: record, source: .disk, freshness: .fresh)
}

/// Pixels of which the last differs.
private func pixels(_ last: UInt8) -> PixelBuffer {
  with(PixelBuffer(clear: PixelSize(width: 1200, height: 800))) {
    $0.withMutableBytes { $0[$0.count - 1] = last }
  }
}

/// A value of each public type that holds pixels or a body.
private func values(_ pixels: PixelBuffer) -> [Any] {
  let bytes = pixels.bytes
  let decoded = DecodedImage(pixels: pixels, format: .png, url: url)
  let encoded = EncodedImage(bytes: bytes, format: .png, size: pixels.size)
  var options = EncodingOptions()
  options.iccProfile = bytes
  var request = ImageRequest(url: url)
  request.failureImage = pixels
  request.placeholder = .image(pixels)
  let stored = StoredResponse(
    status: 200, fields: [.contentType: "image/png"], requestTime: date, responseTime: date)
  let tier = TierValue(response: stored, body: bytes, freshUntil: date, staleUntil: date)
  let head = ResponseHead(url: url, status: 200)
  var thumbnailed = ThumbnailedResponse(original: data(.bytes(bytes)))
  thumbnailed.thumbnails = [.failure(ImageError(.corrupt, "bad", url: url))]
  return [
    pixels, decoded, encoded, AnimationFrame(pixels: pixels, delay: .milliseconds(40)), options,
    Document(url: url, bytes: bytes, source: .disk, fetchedAt: date), tier,
    FetchedBody.bytes(bytes), FetchedResponse(head: head, body: .bytes(bytes)),
    OriginEvent.bytes(bytes),
    CachedEntry(record: .stub(byteCount: 4), bytes: bytes), response(pixels),
    DataResponse.Body.bytes(bytes), data(.bytes(bytes)), thumbnailed, request,
    ImageEvent.placeholder(pixels), ImageEvent.preview(pixels), ImageEvent.image(response(pixels)),
    ImageEvent.failure(CancellationError(), placeholder: pixels),
    ImageSlot.Content.placeholder(pixels, failure: CancellationError()),
    ImageSlot.Content.image(response(pixels)), ImagePlaceholder.image(pixels),
    ImagePlaceholder.remembered(otherwise: .image(pixels)),
  ]
}

@Suite struct `A value with pixels or a body` {
  @Test func `prints, dumps and reflects in less than 1,500 characters`() {
    for value in values(pixels(1)) {
      for text in texts(of: value) { #expect(text.count < 1500, "\(type(of: value))") }
    }
  }

  @Test func `is told from one of the same size by its description`() {
    for (one, other) in zip(values(pixels(1)), values(pixels(2))) {
      for (one, other) in zip(texts(of: one), texts(of: other)) { #expect(one != other) }
    }
  }

  @Test func `reads as a line of its properties`() {
    let pixels = SampleImages.flat(4, 2, [1, 2, 3, 255])
    let sum = pixels.bytes.checksumText
    let image = "PixelBuffer(size: 4x2, crc32c: \(sum))"

    #expect("\(pixels)" == image)
    #expect(
      "\(response(pixels))" == """
        ImageResponse(url: \(url), image: \(image), format: jpeg, originalSize: 4x2, \
        source: network, freshness: current, elapsed: 0.012 seconds)
        """)
    #expect(
      "\(data(.bytes(pixels.bytes)))" == """
        DataResponse(url: \(url), body: Body(bytes: 32 (crc32c \(sum))), format: jpeg, \
        size: 1200x800, frameCount: 1, source: disk, freshness: fresh)
        """)
    #expect("\(DataResponse.Body.file(path: "/c/a"))" == "Body(file: /c/a)")
    #expect(
      Mirror(reflecting: pixels).children.map { "\($0.label ?? "")=\($0.value)" }
        == ["size=4x2", "crc32c=\(sum)"])
  }
}

@Suite struct `A request` {
  @Test func `prints, dumps and reflects without its credentials`() {
    let fields: HTTPFields = [
      .authorization: "Bearer hunter2", .proxyAuthorization: "Basic hunter2",
      .cookie: "sid=hunter2", .accept: "image/webp",
    ]
    var image = ImageRequest(url: "https://user:hunter2@example.org/a.jpg")
    image.network.alternates = ["https://user:hunter2@example.org/b.jpg"]
    image.network.headers = fields
    var fetch = FetchRequest(url: image.url)
    fetch.headers = fields
    let report = LoadReport(
      id: 1, request: image, isDocument: false, steps: [], elapsed: .zero,
      result: .failure(CancellationError()))

    for request in [
      image, fetch, HTTPCacheRequest(fields: fields),
      OriginRequest(method: "GET", target: "/a.jpg", fields: fields),
    ] as [Any] {
      for text in texts(of: request) {
        #expect(!text.contains("hunter2"), "\(type(of: request))")
        #expect(text.contains("Authorization: ***") && text.contains("Accept: image/webp"))
      }
    }
    var dumped = ""
    dump(report, to: &dumped)
    #expect(!dumped.contains("hunter2"))
  }

  @Test func `to a proxy shows no password, nor do the other settings of a fetcher`() throws {
    for proxy in ["http://user:hunter2@proxy:3128", "user:hunter2@proxy:3128", "proxy:3128"] {
      var configuration = HTTPFetcher.Configuration()
      configuration.proxy = proxy
      configuration.originHeaders = try OriginHeaders(
        [.authorization: "Bearer hunter2"], host: "example.org")
      for text in texts(of: configuration) {
        #expect(text.contains("proxy:3128") && !text.contains("hunter2"))
      }
    }
  }
}
