/// Decodes an image straight into its small size.
struct Thumbnailer {
  let info: ImageInfo
  let geometry: FitGeometry
  let recipe: ThumbnailRecipe
  let limits: ImageLimits
  /// Whether all of a still's data is looked at, with a check's strictness, and ``Small/glance``
  /// made on the way.
  var proves = false

  /// An image in its small size, before it is placed on the canvas.
  struct Small {
    var content: PixelBuffer
    /// The whole image, in the size of a placeholder; `nil` where it was not requested, or none came for
    /// free.
    var glance: PixelBuffer?
  }

  /// The image, or the frame that the recipe names.
  func picture(of bytes: RawSpan) throws(ImageError) -> PixelBuffer {
    try small(of: bytes).content
  }

  /// The same, with what was seen on the way.
  func small(of bytes: RawSpan) throws(ImageError) -> Small {
    guard recipe.frame == 0 || recipe.frame < info.frameCount else {
      throw ImageError(
        .invalidArgument, "no frame \(recipe.frame); the file has \(info.frameCount)")
    }
    var small =
      switch info.format {
      case .jpeg: try jpeg(bytes)
      case .png: try png(bytes)
      default: Small(content: try frame(recipe.frame, of: bytes))
      }
    small.content = placed(small.content)
    return small
  }

  /// All frames with their delays, each made small as it comes; and the first one whole, for a
  /// glance.
  func frames(
    of bytes: RawSpan
  ) throws(ImageError) -> (frames: [AnimationFrame], glance: PixelBuffer?) {
    guard info.format == .gif else {
      let small = try small(of: bytes)
      return ([AnimationFrame(pixels: small.content, delay: .zero)], small.glance)
    }
    let total = geometry.canvas.pixelCount.multipliedReportingOverflow(by: 4 * info.frameCount)
    guard !total.overflow, total.partialValue <= limits.maximumMemoryByteCount else {
      throw ImageError(
        .limitExceeded, "\(info.frameCount) frames of \(geometry.canvas) take too much memory")
    }
    let reader = try FrameReader(bytes, limits: limits)
    var frames: [AnimationFrame] = []
    var glance: PixelBuffer?
    while let frame = try reader.next(of: bytes) {
      if proves, frames.isEmpty { glance = frame.pixels }
      frames.append(
        AnimationFrame(pixels: placed(try scaled(frame.pixels)), delay: frame.delay))
    }
    return (frames, glance)
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
    guard let last else { throw ImageError(.corrupt, "no frame \(index)") }
    return try scaled(last.pixels)
  }

  private func jpeg(_ bytes: RawSpan) throws(ImageError) -> Small {
    let orientation = Orientation(info.orientation)
    let eighths = Self.eighths(for: geometry)
    let target = orientation.turned(geometry.content)
    var region = orientation.stored(geometry.region, of: info.size)
    let scale = Double(eighths) / 8
    region = PixelRect(
      left: region.left * scale, top: region.top * scale, width: region.width * scale,
      height: region.height * scale)
    var small = try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      try reduced(
        JPEGRowReader(raw, limits: limits, eighths: eighths, isStrict: proves), region, to: target,
        hasAlpha: false)
    }
    small.content = small.content.upright(orientation)
    small.glance = small.glance?.upright(orientation)
    return small
  }

  private func png(_ bytes: RawSpan) throws(ImageError) -> Small {
    try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      let reader = try PNGRowReader(raw, limits: limits)
      guard !reader.isInterlaced else {
        let whole = try StillDecoder(orientation: 1, isLenient: false, limits: limits)
          .decode(reader)
        return Small(
          content: try scaled(whole.pixels), glance: proves ? whole.pixels : nil)
      }
      return try reduced(reader, geometry.region, to: geometry.content, hasAlpha: info.hasAlpha)
    }
  }

  private func reduced(
    _ reader: some RowReading, _ region: PixelRect, to target: PixelSize, hasAlpha: Bool
  ) throws(ImageError) -> Small {
    guard proves else {
      return Small(
        content: try reader.resampled(
          region, to: target, filter: recipe.filter, hasAlpha: hasAlpha))
    }
    let (content, glance) = try reader.resampledWithGlance(
      region, to: target, filter: recipe.filter, hasAlpha: hasAlpha)
    return Small(content: content, glance: glance)
  }

  /// The least scale of the transform, in eighths, that leaves twice what is wanted, or all of it.
  static func eighths(for geometry: FitGeometry) -> Int {
    let reduction = min(
      geometry.region.width / Double(geometry.content.width),
      geometry.region.height / Double(geometry.content.height))
    return [1, 2, 4].first { reduction * Double($0) / 8 >= 2 } ?? 8
  }
}
