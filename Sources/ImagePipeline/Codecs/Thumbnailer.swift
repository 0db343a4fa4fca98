/// Decodes a picture straight into its small size.
struct Thumbnailer {
  let info: ImageInfo
  let geometry: FitGeometry
  let recipe: ThumbnailRecipe
  let limits: ImageLimits

  /// The picture, or the frame that the recipe names.
  func picture(of bytes: RawSpan) throws(ImageError) -> PixelBuffer {
    guard recipe.frame == 0 || recipe.frame < info.frameCount else {
      throw ImageError(
        .invalidArgument, "frame \(recipe.frame) is not there: the file has \(info.frameCount)")
    }
    let content =
      switch info.format {
      case .jpeg: try jpeg(bytes)
      case .png: try png(bytes)
      default: try frame(recipe.frame, of: bytes)
      }
    return placed(content)
  }

  /// All frames with their delays, each made small as it comes.
  func frames(of bytes: RawSpan) throws(ImageError) -> [AnimationFrame] {
    guard info.format == .gif else {
      return [AnimationFrame(pixels: try picture(of: bytes), delay: .zero)]
    }
    let total = geometry.canvas.pixelCount.multipliedReportingOverflow(by: 4 * info.frameCount)
    guard !total.overflow, total.partialValue <= limits.maximumMemoryByteCount else {
      throw ImageError(
        .limitExceeded, "\(info.frameCount) frames of \(geometry.canvas) take too much memory")
    }
    let reader = try FrameReader(bytes, limits: limits)
    var frames: [AnimationFrame] = []
    while let frame = try reader.next(of: bytes) {
      frames.append(
        AnimationFrame(pixels: placed(try scaled(frame.pixels)), delay: frame.delay))
    }
    return frames
  }

  private func placed(_ content: PixelBuffer) -> PixelBuffer {
    content.placed(
      on: geometry.canvas, left: geometry.offset.left, top: geometry.offset.top,
      background: recipe.background ?? .clear)
  }

  private func scaled(_ picture: PixelBuffer) throws(ImageError) -> PixelBuffer {
    if geometry.content == picture.size { return picture }
    return try picture.resampled(geometry.region, to: geometry.content, filter: recipe.filter)
  }

  private func frame(_ index: Int, of bytes: RawSpan) throws(ImageError) -> PixelBuffer {
    let reader = try FrameReader(bytes, limits: limits)
    var last = try reader.next(of: bytes)
    for _ in 0..<index { last = try reader.next(of: bytes) }
    guard let last else { throw ImageError(.corrupt, "frame \(index) is not there") }
    return try scaled(last.pixels)
  }

  private func jpeg(_ bytes: RawSpan) throws(ImageError) -> PixelBuffer {
    let orientation = Orientation(info.orientation)
    let eighths = Self.eighths(for: geometry)
    let target = orientation.turned(geometry.content)
    var region = orientation.stored(geometry.region, of: info.size)
    let scale = Double(eighths) / 8
    region = PixelRect(
      left: region.left * scale, top: region.top * scale, width: region.width * scale,
      height: region.height * scale)
    let small = try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      try JPEGRowReader(raw, limits: limits, eighths: eighths).resampled(
        region, to: target, filter: recipe.filter, hasAlpha: false)
    }
    return small.upright(orientation)
  }

  private func png(_ bytes: RawSpan) throws(ImageError) -> PixelBuffer {
    try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      let reader = try PNGRowReader(raw, limits: limits)
      guard !reader.isInterlaced else {
        let whole = try StillDecoder(orientation: 1, isLenient: false, limits: limits)
          .decode(reader)
        return try scaled(whole.pixels)
      }
      return try reader.resampled(
        geometry.region, to: geometry.content, filter: recipe.filter, hasAlpha: info.hasAlpha)
    }
  }

  /// The least scale of the transform, in eighths, that leaves twice what is wanted, or all of it.
  static func eighths(for geometry: FitGeometry) -> Int {
    let reduction = min(
      geometry.region.width / Double(geometry.content.width),
      geometry.region.height / Double(geometry.content.height))
    return [1, 2, 4].first { reduction * Double($0) / 8 >= 2 } ?? 8
  }
}
