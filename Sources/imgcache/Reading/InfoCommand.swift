import ArgumentParser
import DiskCaching
import ImageCodecs
import ImageModel
import TextEncodings
import ThumbnailServer

struct InfoCommand: AsyncParsableCommand, FileNaming {
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

  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  var fileNames: [String] { sources.filter { !ImageSource.isURL($0) } }

  mutating func run() async throws {
    let report = common.report
    let cache = try sources.contains(where: ImageSource.isURL) ? common.openCache() : nil
    let errors = MessageGroups(report)
    for source in sources {
      do throws(ImageError) {
        let (bytes, record) = try await ImageSource.read(source, from: cache)
        let info = try ImageCodecs.info(of: bytes.span.bytes, limits: ImageLimits())
        var image = ImageDescription(
          source: source, info: info, byteCount: bytes.count, record: record,
          thumbHash: record?.thumbHash ?? [], mainColor: record?.dominantColor)
        if image.thumbHash.isEmpty {
          do throws(ImageError) {
            let summary = try ImageSummary(decoding: bytes.span.bytes, limits: ImageLimits())
            image.thumbHash = summary.thumbHash.bytes
            image.mainColor = summary.dominantColor.rgb
            if let record { await cache?.keep(summary, of: record) }
          } catch {
            image.fault = error
          }
        }
        report.result(.info, image.json, text: image.text)
        if let fault = image.fault { errors.write(source == "-" ? "stdin" : source, fault) }
      } catch {
        errors.fail(source, error, member: ImageSource.member(of: source))
      }
    }
    try errors.end()
  }
}

struct ImageDescription {
  let source: String
  let info: ImageInfo
  let byteCount: Int
  var record: CacheRecord?
  /// What is shown before the image has loaded.
  var thumbHash: [UInt8] = []
  var mainColor: UInt32?
  var fault: ImageError?

  private var hexColor: String? { mainColor.map { "#" + Hex.encoded($0, digitCount: 6) } }

  var json: JSONLine {
    [
      ImageSource.member(of: source): source, "format": info.format.rawValue,
      "bytes": byteCount,
      "width": info.size.width, "height": info.size.height, "frames": info.frameCount,
      "delays_ms": info.rawDelays.map {
        (info.isTimed ? ImageInfo.shownDelay(for: $0) : $0).milliseconds
      },
      "loop_count": info.loopCount, "orientation": info.orientation,
      "color": info.colorModel.rawValue, "bit_depth": info.bitDepth, "alpha": info.hasAlpha,
      "progressive": info.isProgressive, "icc_bytes": info.iccProfileByteCount,
      "thumbhash": thumbHash.isEmpty ? nil : Base64.encoded(thumbHash),
      "main_color": hexColor, "error": fault?.json,
      "record": record.map { $0.description(tags: CacheTag.all(of: $0)) },
    ]
  }

  var text: String {
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
    if let color = hexColor { parts.append("main colour \(color)") }
    if let record {
      parts.append("fetched \(record.fetchedAt.formatted(.iso8601))")
      if let tag = record.entityTag { parts.append("ETag \(tag)") }
      if record.isPinned { parts.append("pinned") }
    }
    return parts.joined(separator: ", ").escapingControls()
  }
}
