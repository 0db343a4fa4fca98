/// Decoded pixels: `height` rows of `width` RGBA samples, 8 bits each, top row first, no padding.
///
/// Alpha is straight, not premultiplied. Copies share storage until one is written to.
public struct PixelBuffer: Sendable, Hashable {
  /// Columns and rows.
  public let size: PixelSize
  /// `4 * width * height` bytes: red, green, blue, alpha of each pixel in turn.
  public private(set) var bytes: [UInt8]

  /// Columns of pixels.
  public var width: Int { size.width }
  /// Rows of pixels.
  public var height: Int { size.height }
  /// The distance between the starts of two rows: `4 * width`.
  public var bytesPerRow: Int { 4 * size.width }

  /// Wraps samples that are there already.
  ///
  /// - Precondition: `bytes.count == 4 * size.pixelCount`.
  public init(size: PixelSize, bytes: [UInt8]) {
    precondition(bytes.count == 4 * size.pixelCount, "RGBA8 needs four bytes a pixel")
    self.size = size
    self.bytes = bytes
  }

  /// Makes room for the pixels, `4 * width * height` zeroed bytes, and lets `fill` write them.
  public init<E: Error>(
    size: PixelSize, filledBy fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    self.size = size
    bytes = [UInt8](repeating: 0, count: 4 * size.pixelCount)
    var failure: E?
    bytes.withUnsafeMutableBytes { room in
      do throws(E) { try fill(room) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Makes room for the pixels without clearing it; `fill` must write each of the bytes.
  public init<E: Error>(
    size: PixelSize, overwrittenBy fill: (UnsafeMutableRawBufferPointer) throws(E) -> Void
  ) throws(E) {
    var failure: E?
    let count = 4 * size.pixelCount
    self.size = size
    bytes = [UInt8](unsafeUninitializedCapacity: count) { room, initialized in
      do throws(E) {
        try fill(
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(room)[..<count]))
        initialized = count
      } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Lends the samples for change in place; shared storage is copied first.
  public mutating func withMutableBytes<Result>(
    _ body: (UnsafeMutableRawBufferPointer) -> Result
  ) -> Result {
    bytes.withUnsafeMutableBytes(body)
  }

  /// Makes an image that is transparent everywhere.
  public init(clear size: PixelSize) {
    self.size = size
    bytes = [UInt8](repeating: 0, count: 4 * size.pixelCount)
  }

  /// Makes a rectangle transparent; parts outside the image are left out.
  public mutating func clear(left: Int, top: Int, size: PixelSize) {
    let columns = Self.part(from: left, count: size.width, of: width)
    let rows = Self.part(from: top, count: size.height, of: height)
    let stride = bytesPerRow
    guard !columns.isEmpty else { return }
    withMutableBytes { raw in
      for row in rows {
        let start = row * stride + 4 * columns.lowerBound
        raw[start..<start + 4 * columns.count].initializeMemory(as: UInt8.self, repeating: 0)
      }
    }
  }

  private static func part(from start: Int, count: Int, of whole: Int) -> Range<Int> {
    let (end, overflow) = start.addingReportingOverflow(count)
    let first = min(max(0, start), whole)
    return first..<max(first, overflow ? (count > 0 ? whole : 0) : min(whole, end))
  }
}

extension PixelBuffer: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    ["size": size, "crc32c": bytes.checksumText]
  }
}
