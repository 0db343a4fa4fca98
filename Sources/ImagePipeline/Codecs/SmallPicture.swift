/// A picture decoded for what can be told of it at a glance; all of its data is looked at on the way.
struct SmallPicture {
  let info: ImageInfo
  let limits: ImageLimits

  /// An interlaced PNG of more pixels is only checked.
  private static let maximumInterlacedPixels = 4_000_000

  /// Decodes everything, and keeps no more than 32 pixels a side; `nil` where none are kept.
  func checking(_ bytes: RawSpan) throws(ImageError) -> PixelBuffer? {
    if info.format == .png && info.isProgressive {
      guard info.size.pixelCount <= Self.maximumInterlacedPixels else {
        try CodecBridge.checkPNG(bytes, limits: limits)
        return nil
      }
      return try ImageCodecs.decode(bytes, limits: limits)
    }
    return try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      info.format == .jpeg
        ? try small(
          JPEGRowReader(raw, limits: limits, eighths: eighths, isStrict: true), hasAlpha: false
        ).upright(Orientation(info.orientation))
        : try small(PNGRowReader(raw, limits: limits), hasAlpha: info.hasAlpha)
    }
  }

  /// The least scale of the transform that leaves something to be seen.
  private var eighths: Int {
    let longer = max(info.size.width, info.size.height)
    return [1, 2, 4].first { longer * $0 / 8 >= 32 } ?? 8
  }

  private func small(
    _ reader: some RowReading, hasAlpha: Bool
  ) throws(ImageError) -> PixelBuffer {
    let box = PicturePlaceholder.box
    let geometry = try FitGeometry(source: reader.size, box: box, fit: .inside, limits: limits)
    return try reader.resampled(
      geometry.region, to: geometry.content, filter: .area, hasAlpha: hasAlpha, readsToEnd: true)
  }
}
