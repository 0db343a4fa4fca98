public import DiskCaching
import HTTPListening
public import ImageCodecs
public import ImageModel
import ImagePipeline
import LoadScheduling
public import TextEncodings

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif

struct ImageInformation: Sendable {
  let cache: DiskCache
  let pipeline: ImagePipeline
  let decodes: DecodeGate

  func answer(for image: Representation) async throws -> Answer {
    let bytes = try Self.bytes(of: image)
    let info = try ImageCodecs.info(of: bytes.span.bytes, limits: pipeline.configuration.limits)
    var record = image.original
    if record.thumbHash.isEmpty, let summary = try? await summary(of: bytes, info) {
      await cache.keep(summary, of: record)
      record.describe(summary)
    }
    let object: JSONLine = [
      "format": info.format.rawValue, "width": info.size.width, "height": info.size.height,
      "frames": info.frameCount, "loop_count": info.loopCount, "orientation": info.orientation,
      "bytes": bytes.count, "sha256": image.hash.hex,
      "thumbhash": record.thumbHash.isEmpty ? nil : Base64.encoded(record.thumbHash),
      "main_color": record.dominantColor.map { "#" + Hex.encoded($0, digitCount: 6) },
      "record": record.description(tags: image.tags),
    ]
    return .text("\(object)\n", type: "application/json")
  }

  private static func bytes(of image: Representation) throws -> [UInt8] {
    switch image.content {
    case .bytes(let bytes): return bytes
    case .file(let file, let count): return try file.read(at: 0, count: count)
    }
  }

  private func summary(of bytes: [UInt8], _ info: ImageInfo) async throws -> ImageSummary {
    try await decodes.run(priority: LivePriority(), pixelCount: info.size.pixelCount) {
      try await pipeline.onOwnThreads {
        try ImageSummary(decoding: bytes.span.bytes, limits: pipeline.configuration.limits)
      }
    }
  }
}

extension ImageSummary {
  /// Decodes an image for its placeholder, which is the same as that of a check.
  ///
  /// - Throws: `ImageError` for an image that is damaged or exceeds the limits.
  public init(decoding bytes: RawSpan, limits: ImageLimits) throws(ImageError) {
    let checked = try ImageCodecs.check(bytes, level: .decode, limits: limits)
    // A check makes none of a large interlaced PNG, which has to be in memory as a whole.
    self =
      if let placeholder = checked.placeholder {
        placeholder
      } else {
        try ImageSummary(of: try ImageCodecs.decode(bytes, limits: limits))
      }
  }
}

extension DiskCache {
  /// Adds the placeholder to the record of an original that was stored without a look at its
  /// pixels.
  public func keep(_ summary: ImageSummary, of record: CacheRecord) async {
    await addPlaceholder(
      thumbHash: summary.thumbHash.bytes, dominantColor: summary.dominantColor.rgb, of: record)
  }
}

extension CacheRecord {
  /// Adds the placeholder of the image.
  public mutating func describe(_ summary: ImageSummary) {
    thumbHash = summary.thumbHash.bytes
    dominantColor = summary.dominantColor.rgb
  }

  /// The record as `/info` and `imgcache info` describe it.
  public func description(tags: [CacheTag]) -> JSONLine {
    [
      "status": status, "sha256": content.map { "\($0.hash)" }, "etag": entityTag,
      "last_modified": lastModified, "content_type": mediaType,
      "fetched_at": fetchedAt.formatted(.iso8601),
      "confirmed_at": responseTime.formatted(.iso8601),
      "last_access": lastAccess.formatted(.iso8601),
      "always_stale": isAlwaysStale, "pinned": isPinned, "groups": groups.sorted(),
      "tags": tags.map(\.name),
      "dominant_color": dominantColor.map { Hex.encoded($0, digitCount: 6) },
      "thumbhash": thumbHash.isEmpty ? nil : Base64.encoded(thumbHash),
    ]
  }
}
