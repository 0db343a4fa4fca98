package import ImageModel

/// An output that a decode produces from the pixels of an image.
package enum DecodeOutput: Sendable, Hashable {
  case image
  case thumbnail(ThumbnailRecipe)
  /// A thumbnail of all frames, if its format holds them.
  case animation(ThumbnailRecipe)

  /// Creates the output that is encoded for a recipe.
  package init(encoding recipe: ThumbnailRecipe) {
    self = recipe.mayMove ? .animation(recipe) : .thumbnail(recipe)
  }

  /// Creates the output that is used as pixels, which have no profile to keep.
  package init(pixelsOf recipe: ThumbnailRecipe) {
    var recipe = recipe
    if recipe.profile == .keep { recipe.profile = .convert }
    self = .thumbnail(recipe)
  }

  package var recipe: ThumbnailRecipe? {
    switch self {
    case .image: nil
    case .thumbnail(let recipe), .animation(let recipe): recipe
    }
  }
}

/// The results of decodes: the frames of each output, or the reason why it could not be made.
package typealias DecodedOutputs = [DecodeOutput: Result<[AnimationFrame], ImageError>]

extension DecodedOutputs {
  package func frames(_ output: DecodeOutput) throws(ImageError) -> [AnimationFrame] {
    guard let frames = try self[output]?.get(), !frames.isEmpty else {
      throw ImageError(.corrupt, "the file has no frame")
    }
    return frames
  }
}

/// One decode of an image, for all that is wanted of its pixels.
///
/// Rows pass through the filters of all thumbnails as they come, so that memory is proportional to
/// the results; a progressive JPEG, an interlaced PNG, and most WebP and AVIF are held whole.
///
/// Colours become those of sRGB after the scaling, unless a recipe says otherwise; inks are scaled
/// as they are.
///
/// A format with scales is decoded at the smallest one that leaves at least twice the size of every
/// result of a group. Groups whose scales differ are decoded one after the other: what one
/// caller gets does not depend on other callers.
package struct DecodePass {
  package struct Result: Sendable {
    /// The frames of each output, one for a still, or why it could not be made of this image.
    package var outputs = DecodedOutputs()
    /// `nil` where it was not requested, or would take too much memory.
    package var placeholder: ImageSummary?
    /// Where the crops of outputs are that keep the most interesting part.
    fileprivate var offsets: [DecodeOutput: (left: Int, top: Int)] = [:]
  }

  package let info: ImageInfo
  package let limits: ImageLimits
  /// The outputs of each caller.
  package var groups: [Set<DecodeOutput>] = []
  /// Whether all of the data is decoded, as strictly as by ``ImageCheck/decode``; then the
  /// placeholder is made as well.
  package var isCheck = false
  /// Whether the placeholder is made. Damage below the rows that the outputs need does not matter
  /// to it.
  package var makesPlaceholder = false
  private var colors = SourceColors()

  package init(
    info: ImageInfo, limits: ImageLimits, groups: [Set<DecodeOutput>] = [], isCheck: Bool = false,
    makesPlaceholder: Bool = false
  ) {
    self.info = info
    self.limits = limits
    self.groups = groups
    self.isCheck = isCheck
    self.makesPlaceholder = makesPlaceholder
  }

  /// - Throws: `ImageError` if the image is damaged; not if a single output cannot be made.
  package func run(_ bytes: RawSpan) throws(ImageError) -> Result {
    var result = Result()
    let plans = plans(&result)
    guard !plans.isEmpty || wantsPlaceholder else { return result }
    let codec = try ImageCodecs.codec(for: info.format)
    var pass = self
    if wantsPlaceholder || plans.contains(where: \.isConverted) {
      pass.colors = SourceColors(of: bytes, info, codec, limits: limits)
    }
    if codec.showsFrames, let frames = try codec.frames(of: bytes, limits: limits) {
      try pass.decode(frames, bytes, plans, &result)
    } else {
      try pass.decodeStill(codec, bytes, plans, &result)
    }
    return result
  }

  /// Adds the outputs of callers, as many as fit into the limit of memory together, but at least
  /// those of one.
  package mutating func add(_ groups: [Set<DecodeOutput>]) {
    let limit = limits.maximumMemoryByteCount
    var room = limit
    for group in groups {
      let taken = group.reduce(0) { $0 + min(byteCount(of: $1), limit) }
      if self.groups.isEmpty || taken <= room { self.groups.append(group) }
      room -= min(taken, room)
    }
  }

  private func byteCount(of output: DecodeOutput) -> Int {
    guard let plan = try? OutputPlan(output, info, limits: limits) else { return 0 }
    return (plan.drawnSize ?? info.size).pixelCount(
      times: 4 * (plan.isAnimated ? info.frameCount : 1))
  }

  private var wantsPlaceholder: Bool { isCheck || makesPlaceholder }

  /// Makes what a decode would make for a recipe of upright pixels in sRGB, which have the size of
  /// their original.
  package static func thumbnail(
    of image: PixelBuffer, recipe: ThumbnailRecipe, limits: ImageLimits
  ) throws(ImageError) -> PixelBuffer {
    let info = ImageInfo(format: .jpeg, size: image.size, colorModel: .rgb)
    var offset: (left: Int, top: Int)?
    return try OutputPlan(DecodeOutput(pixelsOf: recipe), info, limits: limits)
      .make(of: image, SourceColors(), &offset)
  }

  // MARK: Plans

  /// The outputs that can be made; the others have failed.
  private func plans(_ result: inout Result) -> [OutputPlan] {
    var plans: [OutputPlan] = []
    for output in groups.reduce(into: Set(), { $0.formUnion($1) }) {
      do throws(ImageError) { plans.append(try OutputPlan(output, info, limits: limits)) } catch {
        result.outputs[output] = .failure(error)
      }
    }
    return plans
  }

  // MARK: Stills

  private func decodeStill(
    _ codec: any ImageCodec, _ bytes: RawSpan, _ plans: [OutputPlan], _ result: inout Result
  ) throws(ImageError) {
    let available = codec.scales(of: info)
    let scales = plans.map { scale(of: $0, among: plans, available) }
    let readings = zip(plans, scales).map {
      Reading(eighths: $1, keepsInks: $0.isConverted && readsInks)
    }
    // One of them checks, and makes the placeholder. Without an output, it has the smallest scale
    // that leaves enough for that.
    let longer = max(info.size.width, info.size.height)
    let largest =
      scales.max() ?? available.first { longer * $0 / 8 >= ImageSummary.box.width } ?? 8
    let main =
      readings.first { $0.eighths == largest && ($0.keepsInks == readsInks || !wantsPlaceholder) }
      ?? Reading(eighths: largest, keepsInks: readsInks)
    for reading in Set(readings + [main]) {
      var pass = self
      if reading != main { (pass.isCheck, pass.makesPlaceholder) = (false, false) }
      let plans = zip(plans, readings).filter { $0.1 == reading }.map(\.0)
      var request = RowRequest()
      request.eighths = reading.eighths
      request.isStrict = pass.isCheck
      request.keepsInks = reading.keepsInks
      try bytes.withUnsafeBytes { (raw) throws(ImageError) in
        let reader = try codec.rows(of: raw, request: request, limits: limits)
        if reader.isWhole {
          try pass.decodeWhole(reader, codec, bytes, plans, &result)
        } else {
          try pass.decodeRows(reader, plans, scale: Double(reading.eighths) / 8, &result)
        }
      }
    }
  }

  /// How the rows of a still are decoded for some of the outputs.
  private struct Reading: Hashable {
    let eighths: Int
    let keepsInks: Bool
  }

  private var readsInks: Bool { colors.transform?.readsInks ?? false }

  /// The scale of an output: what the largest output of its group needs.
  private func scale(of plan: OutputPlan, among plans: [OutputPlan], _ available: [Int]) -> Int {
    groups.filter { $0.contains(plan.output) }.map { group in
      plans.filter { group.contains($0.output) }
        .map { $0.eighths(among: available) }.max() ?? 8
    }.min() ?? 8
  }

  /// Of an image with more pixels that can be checked without them no placeholder is made for its
  /// own sake.
  private static let maximumPlaceholderPixels = 4_000_000

  private func decodeWhole(
    _ reader: any RowReading, _ codec: any ImageCodec, _ bytes: RawSpan, _ plans: [OutputPlan],
    _ result: inout Result
  ) throws(ImageError) {
    var plans = plans
    if !plans.isEmpty {
      do throws(ImageError) { try limits.checkMemory(of: reader.size) } catch {
        for plan in plans { result.outputs[plan.output] = .failure(error) }
        plans = []
      }
    }
    if plans.isEmpty, codec.checksWithoutPixels,
      reader.size.pixelCount > Self.maximumPlaceholderPixels
    {
      if isCheck { try codec.checkPixels(of: bytes, limits: limits) }
      return
    }
    let whole = try StillDecoder(
      orientation: info.orientation, isLenient: false, limits: limits
    ).decode(reader).pixels
    try add(whole, plans, &result)
    if wantsPlaceholder { result.placeholder = try ImageSummary(of: whole, colors) }
  }

  // MARK: Rows

  /// The room of one result, and what writes to it.
  private struct Slot {
    let size: PixelSize
    let sink: (UnsafeMutableRawBufferPointer) -> RowSink
  }

  private func decodeRows(
    _ reader: any RowReading, _ plans: [OutputPlan], scale: Double, _ result: inout Result
  ) throws(ImageError) {
    let (orientation, hasAlpha) = (Orientation(info.orientation), info.hasAlpha)
    var slots: [Slot] = []
    for plan in plans {
      slots.append(try slot(plan, reader.size, scale: scale, orientation, hasAlpha: hasAlpha))
    }
    if wantsPlaceholder {
      let whole = try FitGeometry(
        source: reader.size, box: ImageSummary.box, fit: .inside, limits: limits)
      let resampler = try Resampler(
        source: reader.size, region: whole.region, target: whole.content, filter: .area,
        hasAlpha: hasAlpha)
      slots.append(
        Slot(size: whole.content) {
          RowSink(resampler, into: $0, isOptional: !plans.isEmpty)
        })
    }
    var made: [PixelBuffer] = []
    let isComplete = try decode(reader, slots[...], [], &made)
    made.reverse()
    for (plan, pixels) in zip(plans, made) {
      let upright =
        plan.geometry == nil ? pixels : pixels.upright(orientation.then(plan.turn))
      let placed = try plan.finished(upright, colors, &result.offsets[plan.output])
      result.outputs[plan.output] = .success([AnimationFrame(pixels: placed, delay: .zero)])
    }
    if wantsPlaceholder, isComplete, let small = made.last {
      result.placeholder = try ImageSummary(of: small.upright(orientation), colors)
    }
  }

  private func slot(
    _ plan: OutputPlan, _ stored: PixelSize, scale: Double, _ orientation: Orientation,
    hasAlpha: Bool
  ) throws(ImageError) -> Slot {
    guard let geometry = plan.geometry, let recipe = plan.output.recipe else {
      return Slot(size: orientation.turned(stored)) {
        RowSink(orientation: orientation.value, into: $0)
      }
    }
    let target = orientation.then(plan.turn).turned(geometry.content)
    var region = orientation.stored(plan.region, of: info.size)
    region.left *= scale
    region.top *= scale
    // A size that was scaled down may have been rounded.
    region.width = min(region.width * scale, Double(stored.width) - region.left)
    region.height = min(region.height * scale, Double(stored.height) - region.top)
    let resampler = try Resampler(
      source: stored, region: region, target: target, filter: recipe.filter, hasAlpha: hasAlpha)
    return Slot(size: target) { RowSink(resampler, into: $0) }
  }

  /// Makes room for the results, one inside the other, then decodes into all of them. `made`
  /// receives them, the last one first; returns whether optional results are complete too.
  private func decode(
    _ reader: any RowReading, _ slots: ArraySlice<Slot>, _ sinks: [RowSink],
    _ made: inout [PixelBuffer]
  ) throws(ImageError) -> Bool {
    guard let slot = slots.first else { return try reader.feed(sinks, readsToEnd: isCheck) }
    var isComplete = false
    let pixels = try PixelBuffer(
      size: slot.size,
      overwrittenBy: { (room) throws(ImageError) in
        isComplete = try decode(reader, slots.dropFirst(), sinks + [slot.sink(room)], &made)
      })
    made.append(pixels)
    return isComplete
  }

  // MARK: Frames

  private func decode(
    _ frames: any FrameSequence, _ bytes: RawSpan, _ plans: [OutputPlan], _ result: inout Result
  ) throws(ImageError) {
    if let fault = frames.fault, isCheck || !frames.isFaultHarmless { throw fault }
    let count = frames.count
    guard count > 0 else { throw ImageError(.corrupt, "the file has no frame") }
    var plans = plans
    var compositor: FrameCompositor?
    do throws(ImageError) {
      // Without a canvas frames are only checked.
      try limits.checkCanvas(of: info.size)
      compositor = FrameCompositor(frames)
    } catch {
      for plan in plans { result.outputs[plan.output] = .failure(error) }
      plans = []
    }
    let lastShown =
      plans.contains(where: \.isAnimated)
      ? count - 1 : plans.map(\.frame).max() ?? (wantsPlaceholder ? 0 : -1)
    // For each output: what a caller gets does not depend on others.
    let limit = min(limits.maximumProcessorTime, .seconds(86_400))  // far from an overflow
    let deadline = ProcessorDeadline(after: limit * max(1, plans.count))
    for index in 0..<count {
      try deadline.check(info.format.displayName, "making the frames")
      guard let compositor, index <= lastShown else {
        guard isCheck else { break }
        var nowhere: PixelBuffer?
        _ = try frames.draw(index, of: bytes, onto: &nowhere)
        continue
      }
      _ = try compositor.advance(bytes)
      let canvas = compositor.canvas
      if index == 0, wantsPlaceholder {
        result.placeholder = try ImageSummary(of: canvas, colors)
      }
      try add(
        canvas, plans.filter { $0.isMade(of: index) }, delay: frames[index].delay, &result)
    }
  }

  /// Adds what is made of a whole frame.
  private func add(
    _ frame: PixelBuffer, _ plans: [OutputPlan], delay: Duration = .zero, _ result: inout Result
  ) throws(ImageError) {
    for plan in plans {
      let made = AnimationFrame(
        pixels: try plan.make(of: frame, colors, &result.offsets[plan.output]), delay: delay)
      let before = try result.outputs[plan.output]?.get() ?? []
      result.outputs[plan.output] = .success(before + [made])
    }
  }
}
