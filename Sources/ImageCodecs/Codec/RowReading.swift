public import ImageModel

/// Decodes the rows of an image from the top down, as they are stored. One task at a time.
public protocol RowReading: AnyObject {
  /// The size of the rows, before any orientation: that of the image at the scale requested. It
  /// never changes.
  var size: PixelSize { get }
  /// Whether all rows must be read in one call. Default: no.
  var isWhole: Bool { get }
  /// The first warning, in words; complete after the last row. Default: none.
  var warning: String? { get }
  /// Damage that was skipped. Default: none.
  var damage: ImageError? { get }

  /// Tells which columns of all rows are used, before the first is read; a reader may leave the
  /// others as they are. Default: nothing.
  func narrow(to columns: Range<Int>) throws(ImageError)

  /// Writes the next rows as RGBA8 without padding.
  ///
  /// `room` has space for `count` rows. `done` is the number of rows that were written, on failure
  /// too; at least one without a failure, and all where ``isWhole``. Each is written to its end.
  func read(_ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int)
    throws(ImageError)
}

extension RowReading {
  /// No.
  public var isWhole: Bool { false }
  /// None.
  public var warning: String? { nil }
  /// None.
  public var damage: ImageError? { nil }
  /// Nothing.
  public func narrow(to columns: Range<Int>) throws(ImageError) {}

  /// Decodes the rows once for all sinks; on failure they have received the rows before it. With
  /// `readsToEnd` also those that no sink needs.
  ///
  /// - Returns: Whether all sinks are complete. Damage below the rows that the sinks need which are
  /// not optional is not an error, unless `readsToEnd`.
  @discardableResult
  func feed(_ sinks: [RowSink], readsToEnd: Bool) throws(ImageError) -> Bool {
    // Few enough rows at once to stay in the L1 and L2 caches.
    let rowsPerStrip = 16
    let used = sinks.map { $0.columns(of: size) }
    if let first = used.map(\.lowerBound).min(), let end = used.map(\.upperBound).max() {
      try narrow(to: first..<end)
    }
    let bytesPerRow = 4 * size.width
    let whole = sinks.lazy.compactMap(\.storedRows).first
    // Not aligned to 16 bytes: libjpeg-turbo writes aligned rows past the caches.
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: 4 + (whole == nil ? bytesPerRow * rowsPerStrip : 0), alignment: 32)
    defer { memory.deallocate() }
    let strip = UnsafeMutableRawBufferPointer(rebasing: memory[4...])
    var first = 0
    while first < size.height, readsToEnd || !sinks.allSatisfy(\.isDone) {
      let count = min(rowsPerStrip, size.height - first)
      let room =
        whole.map { rows in
          let start = first * bytesPerRow
          return UnsafeMutableRawBufferPointer(rebasing: rows[start..<start + count * bytesPerRow])
        } ?? strip
      var failure: ImageError?
      var done = 0
      do throws(ImageError) { try read(count, into: room, done: &done) } catch { failure = error }
      // A reader from outside this library may be wrong about itself.
      done = min(max(done, 0), count)
      if failure == nil, done == 0 {
        failure = ImageError(.corrupt, "the rows end after \(first) of \(size.height)")
      }
      for sink in sinks where !sink.isDone {
        sink.receive(UnsafeRawBufferPointer(room), first: first, count: done, of: size)
      }
      if let failure {
        if !readsToEnd, sinks.allSatisfy({ $0.isOptional || $0.isDone }) { return false }
        throw failure
      }
      first += done
    }
    return true
  }
}

/// A receiver of decoded rows, which writes to memory that the caller lends.
struct RowSink {
  private enum Work {
    case scale(Resampler)
    case orient(Int)
  }
  private let work: Work
  private let room: UnsafeMutableRawBufferPointer
  /// Whether an image is complete without what this sink makes.
  let isOptional: Bool

  /// Makes a part of the image in another size.
  init(
    _ resampler: Resampler, into room: UnsafeMutableRawBufferPointer, isOptional: Bool = false
  ) {
    work = .scale(resampler)
    self.room = room
    self.isOptional = isOptional
  }

  /// Gathers all rows, turned upright from an EXIF orientation.
  init(orientation: Int, into room: UnsafeMutableRawBufferPointer) {
    work = .orient(orientation)
    self.room = room
    isOptional = false
  }

  /// The memory that rows can be decoded into directly; `nil` if they are stored in another order.
  fileprivate var storedRows: UnsafeMutableRawBufferPointer? {
    if case .orient(1) = work { room } else { nil }
  }

  /// The columns that are used of rows of a size.
  fileprivate func columns(of size: PixelSize) -> Range<Int> {
    if case .scale(let resampler) = work { resampler.columns } else { 0..<size.width }
  }

  fileprivate var isDone: Bool {
    if case .scale(let resampler) = work { resampler.isDone } else { false }
  }

  fileprivate func receive(
    _ rows: UnsafeRawBufferPointer, first: Int, count: Int, of size: PixelSize
  ) {
    switch work {
    case .scale(let resampler):
      resampler.feed(rows, count: count, width: size.width, into: room)
    case .orient(1): break
    case .orient(let orientation):
      PixelKernels.orient(
        rows, first: first, count: count, of: size, orientation: orientation, into: room)
    }
  }
}
