import ImageModel

/// Previews of a progressive JPEG whose body is still coming.
///
/// Each byte is decoded once. Previews come in the order of the scans, no more often than an
/// interval allows by the caller's clock, and none once the image is whole: then the final one is
/// decoded as any other. A file of another kind gives none. One task at a time.
public final class ProgressivePreviews {
  private let interval: Duration
  private let stream: JPEGStream
  private var shownScans = 0
  private var lastTime: Duration?
  private var head: [UInt8] = []
  private var isRecognised = false
  private var isOver = false

  /// Creates a decoder without bytes.
  ///
  /// - Parameters:
  ///   - interval: The least time between two previews (default: 200 ms).
  ///   - eighths: The scale of previews, 1 through 8 eighths of the size (default: 8).
  public init(
    interval: Duration = .milliseconds(200), eighths: Int = 8, limits: ImageLimits = ImageLimits()
  ) throws(ImageError) {
    self.interval = interval
    stream = try JPEGStream(limits: limits, eighths: min(max(eighths, 1), 8))
  }

  /// Takes the next bytes of the body.
  ///
  /// - Parameters:
  ///   - time: Now, by a clock of the caller that never runs back.
  /// - Returns: A preview, upright, when one is due. Damage ends the previews and is not an error
  ///   here: it is the final decoding's to tell.
  public func append(_ bytes: RawSpan, at time: Duration) -> PixelBuffer? {
    guard !isOver else { return nil }
    do throws(ImageError) {
      try feed(bytes)
      isOver = isOver || stream.isAtEnd || stream.isSequential
      let isDue = lastTime.map { time - $0 >= interval } ?? true
      guard !isOver, isDue, stream.scanCount > shownScans else { return nil }
      shownScans = stream.scanCount
      lastTime = time
      return try stream.image().upright(Orientation(stream.orientation))
    } catch {
      isOver = true
      return nil
    }
  }

  /// Holds the first bytes back until they are enough to tell the format.
  private func feed(_ bytes: RawSpan) throws(ImageError) {
    if isRecognised {
      try stream.feed(bytes)
      return
    }
    bytes.withUnsafeBytes { head.append(contentsOf: $0) }
    guard head.count >= 3 else { return }
    isRecognised = true
    let whole = head
    head = []
    isOver = ImageFormat(sniffing: whole.span.bytes) != .jpeg
    if !isOver { try stream.feed(whole.span.bytes) }
  }
}
