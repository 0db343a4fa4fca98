/// Decodes the rows of an image from the top down, as they are stored.
protocol RowReading: AnyObject {
  /// The size of the rows, before any orientation.
  var size: PixelSize { get }
  /// Whether all rows must be read in one call.
  var isInterlaced: Bool { get }
  /// The first warning, in words.
  var warning: String? { get }
  /// Damage that was skipped.
  var damage: ImageError? { get }

  /// Writes the next rows as RGBA8 without padding.
  ///
  /// - Parameters:
  ///   - count: The number of rows; `room` has space for them.
  ///   - done: The number of rows that were written, on failure too.
  func read(_ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int)
    throws(ImageError)
}

extension RowReading {
  /// Returns a region, scaled while its rows are decoded: memory is proportional to the result.
  ///
  /// - Parameters:
  ///   - region: The part that is scaled; what is outside the image is left out.
  ///   - hasAlpha: Whether pixels may not be opaque.
  ///   - readsToEnd: Whether the rows below the region are decoded as well.
  func resampled(
    _ region: PixelRect, to target: PixelSize, filter: ResamplingFilter, hasAlpha: Bool,
    readsToEnd: Bool = false
  ) throws(ImageError) -> PixelBuffer {
    let resampler = try resampler(region, to: target, filter: filter, hasAlpha: hasAlpha)
    return try PixelBuffer(
      size: target,
      overwrittenBy: { (room) throws(ImageError) in
        try feed([RowSink(resampler: resampler, room: room)], readsToEnd: readsToEnd)
      })
  }

  /// Returns a region like ``resampled(_:to:filter:hasAlpha:readsToEnd:)``, and from the same rows
  /// the whole image in the size of a placeholder.
  func resampledWithGlance(
    _ region: PixelRect, to target: PixelSize, filter: ResamplingFilter, hasAlpha: Bool
  ) throws(ImageError) -> (PixelBuffer, glance: PixelBuffer) {
    let resampler = try resampler(region, to: target, filter: filter, hasAlpha: hasAlpha)
    let whole = try FitGeometry(source: size, box: PicturePlaceholder.box, fit: .inside)
    let small = try self.resampler(
      whole.region, to: whole.content, filter: .area, hasAlpha: hasAlpha)
    var picture: PixelBuffer?
    let glance = try PixelBuffer(
      size: whole.content,
      overwrittenBy: { (smallRoom) throws(ImageError) in
        picture = try PixelBuffer(
          size: target,
          overwrittenBy: { (room) throws(ImageError) in
            try feed(
              [
                RowSink(resampler: resampler, room: room),
                RowSink(resampler: small, room: smallRoom),
              ], readsToEnd: true)
          })
      })
    guard let picture else { throw ImageError(.corrupt, "the image has no rows") }
    return (picture, glance)
  }

  private func resampler(
    _ region: PixelRect, to target: PixelSize, filter: ResamplingFilter, hasAlpha: Bool
  ) throws(ImageError) -> Resampler {
    let inside = PixelRect(
      left: region.left, top: region.top,
      width: min(region.width, Double(size.width) - region.left),
      height: min(region.height, Double(size.height) - region.top))
    return try Resampler(
      source: size, region: inside, target: target, filter: filter, hasAlpha: hasAlpha)
  }

  /// Decodes the rows once for all sinks.
  private func feed(_ sinks: [RowSink], readsToEnd: Bool) throws(ImageError) {
    // Few enough rows at once to stay in the L1 and L2 caches.
    let rowsPerStrip = 16
    let strip = UnsafeMutableRawBufferPointer.allocate(
      byteCount: 4 * size.width * rowsPerStrip, alignment: 32)
    defer { strip.deallocate() }
    var first = 0
    while first < size.height, readsToEnd || !sinks.allSatisfy(\.resampler.isDone) {
      var done = 0
      try read(min(rowsPerStrip, size.height - first), into: strip, done: &done)
      for sink in sinks where !sink.resampler.isDone {
        sink.resampler.feed(
          UnsafeRawBufferPointer(strip), count: done, width: size.width, into: sink.room)
      }
      first += done
    }
  }
}

/// A receiver of decoded rows.
private struct RowSink {
  let resampler: Resampler
  let room: UnsafeMutableRawBufferPointer
}
