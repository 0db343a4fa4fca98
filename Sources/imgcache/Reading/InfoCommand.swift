import ArgumentParser
import DiskCaching
import ImageCodecs
import ImageModel
import TextEncodings
import ThumbnailServer

struct InfoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "info",
    abstract:
      "Prints format, size, frames, orientation and colour; of a URL, its record, too.",
    discussion: .examples(
      """
      imgcache info photo.jpg https://example.org/a.gif
      imgcache info --json photos/*.jpg

      The main colour, and with --json the ThumbHash (Base64), are for a URL those in the cache, for a file they are \
      computed from the decoded image. If decoding fails, an error names the reason and the exit status is 1.
      """))

  @Argument(help: .value("url|file", "URLs of images in the cache, or files."), completion: .file())
  var sources: [String]

  @OptionGroup var cached: CachedOptions

  /// What is shown before an image has loaded.
  struct Placeholder {
    var thumbHash: [UInt8]
    var mainColor: UInt32?

    /// `#RRGGBB`.
    var hexColor: String? { mainColor.map { "#" + Hex.encoded($0, digitCount: 6) } }
  }

  mutating func run() async throws {
    let report = cached.report
    let cache = try sources.contains(where: ImageSource.isURL) ? cached.openCache() : nil
    let errors = MessageGroups(report)
    for source in sources {
      do throws(ImageError) {
        let (bytes, record) = try await ImageSource.read(source, from: cache)
        let info = try ImageCodecs.info(of: bytes.span.bytes, limits: ImageLimits())
        var placeholder = Placeholder(
          thumbHash: record?.thumbHash ?? [], mainColor: record?.dominantColor)
        let fault = await Self.describe(&placeholder, of: bytes, record, in: cache)
        let count = bytes.count
        report.result(
          Self.json(source, info, record, placeholder, fault: fault, byteCount: count),
          text: Self.text(source, info, record, placeholder, byteCount: count))
        if let fault { errors.write(source == "-" ? "stdin" : source, fault) }
      } catch {
        errors.fail(source, error, member: "source")
      }
    }
    try errors.end()
  }

  /// Decodes what is not known of the placeholder; of a URL it is kept then.
  ///
  /// - Returns: Why the image cannot be decoded, if it cannot.
  private static func describe(
    _ placeholder: inout Placeholder, of bytes: [UInt8], _ record: CacheRecord?,
    in cache: DiskCache?
  ) async -> ImageError? {
    guard placeholder.thumbHash.isEmpty else { return nil }
    do throws(ImageError) {
      let summary = try ImageSummary(decoding: bytes.span.bytes, limits: ImageLimits())
      placeholder = Placeholder(
        thumbHash: summary.thumbHash.bytes, mainColor: summary.dominantColor.rgb)
      if let record { await cache?.keep(summary, of: record) }
      return nil
    } catch {
      return error
    }
  }

  static func json(
    _ source: String, _ info: ImageInfo, _ record: CacheRecord?,
    _ placeholder: Placeholder? = nil, fault: ImageError? = nil, byteCount: Int
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
      "thumbhash": placeholder.flatMap {
        $0.thumbHash.isEmpty ? nil : Base64.encoded($0.thumbHash)
      },
      "main_color": placeholder?.hexColor,
      "error": fault?.json,
      "record": record.map { $0.description(tags: CacheTag.all(of: $0)) },
    ]
  }

  static func text(
    _ source: String, _ info: ImageInfo, _ record: CacheRecord?, _ placeholder: Placeholder? = nil,
    byteCount: Int
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
    if let color = placeholder?.hexColor { parts.append("main colour \(color)") }
    if let record {
      parts.append("fetched \(record.fetchedAt.iso8601)")
      if let tag = record.entityTag { parts.append("ETag \(tag)") }
      if record.isPinned { parts.append("pinned") }
    }
    return parts.joined(separator: ", ").escapingControls()
  }
}

extension InfoCommand: FileNaming {
  var fileNames: [String] { sources.filter { !ImageSource.isURL($0) } }
}
