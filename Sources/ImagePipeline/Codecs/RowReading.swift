/// Gives the rows of a picture from the top down, as they are stored.
protocol RowReading: AnyObject {
  /// The size of the rows, before any orientation.
  var size: PixelSize { get }
  /// Whether all rows must be read in one call.
  var isInterlaced: Bool { get }
  /// The first oddity that is no fault, in words.
  var warning: String? { get }
  /// Damage that was passed over.
  var damage: ImageError? { get }

  /// Writes the next rows as RGBA8 without padding.
  ///
  /// - Parameters:
  ///   - count: How many rows; `room` has space for them.
  ///   - done: How many were written, on failure too.
  func read(_ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int)
    throws(ImageError)
}
