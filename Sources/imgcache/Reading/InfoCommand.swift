import ArgumentParser
import DiskCaching
import ImageCodecs
import ImageModel
import TextEncodings
import ThumbnailServer

/// `imgcache info URL|FILE...`: the properties of an image, read without decoding it.
struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract:
      "Prints format, size, frames, orientation, colour and, for a URL, the cache record.",
    discussion: "imgcache info photo.jpg https://example.org/a.gif")

  @Argument(help: .value("url|file", "URLs of kept images, or files.")) var sources: [String]

  @OptionGroup var cached: CachedOptions

  mutating func run() async throws {
    let report = cached.report
    let cache = try sources.contains(where: ImageSource.isURL) ? cached.openCache() : nil
    let errors = MessageGroups(report)
    for source in sources {
      do throws(ImageError) {
        let (bytes, record) = try await ImageSource.read(source, from: cache)
        let info = try ImageCodecs.info(of: bytes.span.bytes, limits: ImageLimits())
        report.result(
          Self.json(source, info, record, byteCount: bytes.count),
          text: Self.text(source, info, record, byteCount: bytes.count))
      } catch {
        errors.fail(source, error, member: "source")
      }
    }
    try errors.end()
  }

  static func json(
    _ source: String, _ info: ImageInfo, _ record: CacheRecord?, byteCount: Int
  ) -> JSONLine {
    [
      "source": source, "format": info.format.rawValue, "bytes": byteCount,
      "width": info.size.width, "height": info.size.height, "frames": info.frameCount,
      "delays_ms": info.rawDelays.map {
        (info.isTimed ? ImageInfo.shownDelay(for: $0) : $0).milliseconds
      },
      "loop_count": info.loopCount, "orientation": info.orientation,
      "color": info.colorModel.rawValue, "bit_depth": info.bitDepth, "alpha": info.hasAlpha,
      "progressive": info.isProgressive, "icc_bytes": info.iccProfileByteCount,
      "record": record.map { $0.description(tags: CacheTag.all(of: $0)) },
    ]
  }

  static func text(
    _ source: String, _ info: ImageInfo, _ record: CacheRecord?, byteCount: Int
  ) -> String {
    var parts = [
      "\(source): \(info.format.rawValue)", "\(info.size)", byteCount.counted("byte"),
      "\(info.bitDepth)-bit \(info.colorModel.rawValue)\(info.hasAlpha ? " with alpha" : "")",
    ]
    if info.isProgressive { parts.append("progressive") }
    if info.frameCount > 1 {
      let length = info.rawDelays.reduce(.zero) { $0 + ImageInfo.shownDelay(for: $1) }
      let loops = info.loopCount == 0 ? "for ever" : info.loopCount.counted("time")
      parts.append("\(info.frameCount) frames in \(length.readable), plays \(loops)")
    }
    if info.orientation != 1 { parts.append("orientation \(info.orientation)") }
    if let count = info.iccProfileByteCount {
      parts.append("ICC profile of \(count.counted("byte"))")
    }
    if let record {
      parts.append("fetched \(record.fetchedAt.iso8601)")
      if let tag = record.entityTag { parts.append("ETag \(tag)") }
      if record.isPinned { parts.append("pinned") }
    }
    return parts.joined(separator: ", ").escapingControls()
  }
}
