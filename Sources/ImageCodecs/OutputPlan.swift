import ImageModel

/// An output with what follows from the size of the image.
struct OutputPlan {
  let output: DecodeOutput
  /// How the part of the image, turned, fits the result; `nil` for the whole image.
  let geometry: FitGeometry?
  /// The part of the upright image that is scaled.
  let region: PixelRect
  /// How it is turned after the scaling.
  let turn: Orientation
  let isAnimated: Bool
  let isConverted: Bool
  /// The most interesting part of the scaled image, which is what is kept of it; `nil` for all of
  /// it.
  private let kept: PixelSize?
  private let effects: [any ImageProcessing]

  /// - Throws: `ImageError` as ``ThumbnailRecipe/check(limits:)``; `invalidArgument` for a crop or a
  ///   frame outside the image; `limitExceeded` for a result above the limits.
  init(_ output: DecodeOutput, _ info: ImageInfo, limits: ImageLimits) throws(ImageError) {
    self.output = output
    guard let recipe = output.recipe else {
      try limits.checkMemory(of: info.size)
      (geometry, region, turn) = (nil, PixelRect(info.size), Orientation(1))
      (isAnimated, isConverted, kept, effects) = (false, true, nil, [])
      return
    }
    try recipe.check(limits: limits)
    let part = try recipe.crop?.part(of: info.size) ?? (left: 0, top: 0, size: info.size)
    turn = Orientation(recipe.orient.orientation)
    let turned = turn.turned(part.size)
    let cropped = try recipe.geometry(of: turned, limits: limits)
    let whole =
      recipe.focusesOnAttention && recipe.fit == .cover
      ? cropped.uncropped(of: turned, limits: limits) : nil
    let geometry = whole ?? cropped
    self.geometry = geometry
    kept = whole == nil ? nil : cropped.content
    var region = turn.stored(geometry.region, of: turned)
    region.left += Double(part.left)
    region.top += Double(part.top)
    self.region = region
    effects = try recipe.effects(on: kept ?? geometry.canvas)
    isConverted = recipe.profile != .drop && !recipe.embedsProfile(of: info)
    var isAnimated = false
    if case .animation = output, info.frameCount > 1 {
      let format = ImageCodecs.resultFormat(of: recipe, info: info)
      isAnimated = format.flatMap(ImageCodecs.encodingTraits)?.isAnimated ?? false
    }
    self.isAnimated = isAnimated
    guard frame == 0 || frame < info.frameCount else {
      throw ImageError(.invalidArgument, "no frame \(frame); the file has \(info.frameCount)")
    }
    guard isAnimated else {
      try limits.checkMemory(of: geometry.canvas)
      return
    }
    let total = geometry.canvas.pixelCount
      .multipliedReportingOverflow(by: 4 * info.frameCount)
    guard !total.overflow, total.partialValue <= limits.maximumMemoryByteCount else {
      throw ImageError(
        .limitExceeded, "\(info.frameCount) frames of \(geometry.canvas) take too much memory")
    }
  }

  /// The size of the scaled image, padding included; `nil` for that of the image.
  var drawnSize: PixelSize? { geometry?.canvas }

  var frame: Int { if case .thumbnail(let recipe) = output { recipe.frame ?? 0 } else { 0 } }

  func isMade(of index: Int) -> Bool {
    isAnimated || index == frame
  }

  /// The smallest scale, in eighths, that leaves twice what is wanted, or all of it.
  func eighths(among available: [Int]) -> Int {
    guard let geometry else { return 8 }
    let scaled = turn.turned(geometry.content)
    let reduction = min(
      region.width / Double(scaled.width), region.height / Double(scaled.height))
    return available.first { reduction * Double($0) / 8 >= 2 } ?? 8
  }

  /// Makes the result of a whole frame, upright.
  func make(
    of frame: PixelBuffer, _ colors: SourceColors, _ offset: inout (left: Int, top: Int)?
  ) throws(ImageError) -> PixelBuffer {
    var content = frame
    if let geometry, let recipe = output.recipe {
      let scaled = turn.turned(geometry.content)
      if scaled != frame.size || region != PixelRect(frame.size) {
        content = try frame.resampled(region, to: scaled, filter: recipe.filter)
      }
      content = content.upright(turn)
    }
    return try finished(content, colors, &offset)
  }

  /// Makes the result of what was scaled and turned: in its colours, cropped or on the canvas, with
  /// the effects. All frames of an animation have one offset.
  func finished(
    _ scaled: PixelBuffer, _ colors: SourceColors, _ offset: inout (left: Int, top: Int)?
  ) throws(ImageError) -> PixelBuffer {
    var content = scaled
    if isConverted { colors.convert(&content) }
    guard let geometry else { return content }
    let background = output.recipe?.background ?? .clear
    if let kept {
      let start = offset ?? AttentionCrop.offset(of: kept, in: content)
      offset = start
      content = content.placed(
        on: kept, left: -start.left, top: -start.top, background: background)
    } else {
      content = content.placed(
        on: geometry.canvas, left: geometry.offset.left, top: geometry.offset.top,
        background: background)
    }
    for effect in effects { content = try effect.process(content) }
    return content
  }
}
