package import ImageModel

/// Previews of an image whose body is still coming: the scans of a progressive JPEG, the first rows
/// of a WebP.
///
/// Each byte is decoded once. Previews are in sRGB, but for those of inks. They come no more often
/// than an interval allows by the caller's clock, and none once the image is whole: then the final
/// one is decoded as any other. A format without previews gives none. One task at a time.
package final class ProgressivePreviews {
  private let interval: Duration
  private let eighths: Int
  private let limits: ImageLimits
  private var decoder: (any PreviewDecoding)?
  private var shownStage = 0
  private var lastTime: Duration?
  /// The first bytes, until the colours are read from them.
  private var head: [UInt8] = []
  private static let maximumHeadByteCount = 1 << 20
  private var codec: (any ImageCodec)?
  private var colors: SourceColors?
  private var isOver = false

  package init(
    interval: Duration = .milliseconds(200), eighths: Int = 8, limits: ImageLimits = ImageLimits()
  ) {
    self.interval = interval
    self.eighths = min(max(eighths, 1), 8)
    self.limits = limits
  }

  /// Returns a preview, upright, when one is due at the time. Damage ends the previews and is not
  /// an error here: the final decode reports it.
  package func append(_ bytes: RawSpan, at time: Duration) -> PixelBuffer? {
    guard !isOver else { return nil }
    do throws(ImageError) {
      guard let decoder = try feed(bytes) else { return nil }
      isOver = decoder.isOver
      let isDue = lastTime.map { time - $0 >= interval } ?? true
      guard !isOver, isDue, decoder.stage > shownStage else { return nil }
      shownStage = decoder.stage
      lastTime = time
      var image = try decoder.image()
      let colors = sourceColors()
      if colors.transform?.readsInks == false { colors.convert(&image) }
      return image
    } catch {
      isOver = true
      return nil
    }
  }

  /// Holds the first bytes back until they suffice to identify the format.
  private func feed(_ bytes: RawSpan) throws(ImageError) -> (any PreviewDecoding)? {
    if colors == nil, head.count < Self.maximumHeadByteCount {
      bytes.withUnsafeBytes { head.append(contentsOf: $0) }
    }
    if let decoder {
      try decoder.feed(bytes)
      return decoder
    }
    let first = head
    if let format = ImageFormat(sniffing: first.span.bytes) {
      let codec = try ImageCodecs.codec(for: format)
      self.codec = codec
      decoder = try codec.previews(eighths: eighths, limits: limits)
      isOver = decoder == nil
      try decoder?.feed(first.span.bytes)
      return decoder
    }
    isOver = !ImageFormat.isUndecided(first.span.bytes)
    return nil
  }

  /// What the first bytes say of the colours; read once.
  private func sourceColors() -> SourceColors {
    if let colors { return colors }
    let first = head
    let info = try? codec?.info(of: first.span.bytes, check: .none, limits: limits)
    let read =
      if let codec, let info {
        SourceColors(of: first.span.bytes, info, codec, limits: limits)
      } else {
        SourceColors()
      }
    (colors, head) = (read, [])
    return read
  }
}
