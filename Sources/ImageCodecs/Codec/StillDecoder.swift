import ImageModel

/// Gathers all rows of a reader, turned upright on the way.
struct StillDecoder {
  struct Result {
    var pixels: PixelBuffer
    var fault: ImageError?
    var warning: String?
  }

  let orientation: Int
  let isLenient: Bool
  let limits: ImageLimits

  func decode(_ reader: any RowReading) throws(ImageError) -> Result {
    let size = reader.size
    try limits.checkMemory(of: size)
    var fault: ImageError?
    func fill(_ room: UnsafeMutableRawBufferPointer) throws(ImageError) {
      do throws(ImageError) {
        if reader.isWhole {
          var done = 0
          try reader.read(size.height, into: room, done: &done)
          guard done == size.height else {
            throw ImageError(.corrupt, "the rows end after \(done) of \(size.height)")
          }
        } else {
          try reader.feed([RowSink(orientation: orientation, into: room)], readsToEnd: true)
        }
      } catch {
        guard isLenient, error.code == .truncated || error.code == .corrupt else { throw error }
        fault = error
      }
    }
    // An image whose rows come all at once comes as it is stored.
    let turn = Orientation(orientation)
    let filled = reader.isWhole ? size : turn.turned(size)
    // Only what a lenient reader leaves out needs to be cleared beforehand.
    var pixels =
      isLenient
      ? try PixelBuffer(size: filled, filledBy: fill)
      : try PixelBuffer(size: filled, overwrittenBy: fill)
    if reader.isWhole { pixels = pixels.upright(turn) }
    return Result(pixels: pixels, fault: fault ?? reader.damage, warning: reader.warning)
  }
}
