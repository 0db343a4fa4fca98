/// Gathers the rows of a reader into a picture of their own, turned upright on the way.
struct StillDecoder {
  /// A picture, and why it is not whole when that was allowed.
  struct Result {
    var pixels: PixelBuffer
    var fault: ImageError?
    var warning: String?
  }

  let orientation: Int
  let isLenient: Bool
  let limits: ImageLimits

  /// Rows a strip: few enough to stay in the nearest cache while they are turned.
  private static let rowsPerStrip = 16

  /// Reads all rows.
  func decode(_ reader: some RowReading) throws(ImageError) -> Result {
    let size = reader.size
    guard 4 * size.pixelCount <= limits.maximumMemoryByteCount else {
      throw ImageError(
        .limitExceeded,
        "\(size) pixels take more than the \(limits.maximumMemoryByteCount) bytes allowed")
    }
    var fault: ImageError?
    func fill(_ room: UnsafeMutableRawBufferPointer) throws(ImageError) {
      do throws(ImageError) {
        var done = 0
        if orientation == 1 || reader.isInterlaced {
          try reader.read(size.height, into: room, done: &done)
        } else {
          try readStrips(reader, into: room)
        }
      } catch {
        guard isLenient, error.code == .truncated || error.code == .corrupt else { throw error }
        fault = error
      }
    }
    // Only what a lenient reader leaves alone needs to be cleared beforehand.
    let upright = orientation >= 5 ? PixelSize(width: size.height, height: size.width) : size
    let pixels =
      isLenient
      ? try PixelBuffer(size: upright, filledBy: fill)
      : try PixelBuffer(size: upright, overwrittenBy: fill)
    return Result(pixels: pixels, fault: fault ?? reader.damage, warning: reader.warning)
  }

  private func readStrips(
    _ reader: some RowReading, into room: UnsafeMutableRawBufferPointer
  ) throws(ImageError) {
    let size = reader.size
    let strip = UnsafeMutableRawBufferPointer.allocate(
      byteCount: 4 * size.width * Self.rowsPerStrip, alignment: 16)
    defer { strip.deallocate() }
    var first = 0
    while first < size.height {
      var failure: ImageError?
      var done = 0
      do throws(ImageError) {
        try reader.read(min(Self.rowsPerStrip, size.height - first), into: strip, done: &done)
      } catch {
        failure = error
      }
      PixelKernels.orient(
        UnsafeRawBufferPointer(strip), first: first, count: done, of: size,
        orientation: orientation, into: room)
      if let failure { throw failure }
      first += done
    }
  }
}
