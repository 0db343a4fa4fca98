extension RowReading {
  /// Lets rows pass through a filter as they are decoded: memory is proportional to the result.
  ///
  /// - Parameters:
  ///   - region: The part that is scaled; what lies outside the picture is left out.
  ///   - hasAlpha: Whether pixels may be other than opaque.
  ///   - readsToEnd: Whether the rows below the region are decoded, too.
  func resampled(
    _ region: PixelRect, to target: PixelSize, filter: ResamplingFilter, hasAlpha: Bool,
    readsToEnd: Bool = false
  ) throws(ImageError) -> PixelBuffer {
    let inside = PixelRect(
      left: region.left, top: region.top,
      width: min(region.width, Double(size.width) - region.left),
      height: min(region.height, Double(size.height) - region.top))
    let resampler = try Resampler(
      source: size, region: inside, target: target, filter: filter, hasAlpha: hasAlpha)
    // Few enough rows at once to stay in the nearest caches.
    let rowsPerStrip = 16
    let strip = UnsafeMutableRawBufferPointer.allocate(
      byteCount: 4 * size.width * rowsPerStrip, alignment: 32)
    defer { strip.deallocate() }
    return try PixelBuffer(
      size: target,
      overwrittenBy: { (room) throws(ImageError) in
        var first = 0
        while first < size.height, readsToEnd || !resampler.isDone {
          var done = 0
          try read(min(rowsPerStrip, size.height - first), into: strip, done: &done)
          if !resampler.isDone {
            resampler.feed(
              UnsafeRawBufferPointer(strip), count: done, width: size.width, into: room)
          }
          first += done
        }
      })
  }
}
