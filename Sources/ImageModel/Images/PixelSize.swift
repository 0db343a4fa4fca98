/// A width and a height in pixels.
public struct PixelSize: Sendable, Hashable, Codable, CustomStringConvertible {
  /// Columns.
  public var width: Int
  /// Rows.
  public var height: Int

  /// Creates a size, which is not checked; see ``ImageLimits``.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// `width × height` without overflow: the largest `Int` where the product has none.
  public var pixelCount: Int {
    let (product, overflow) = width.multipliedReportingOverflow(by: height)
    return overflow ? .max : product
  }

  /// `pixelCount × factor`, likewise without overflow.
  package func pixelCount(times factor: Int) -> Int {
    let (product, overflow) = pixelCount.multipliedReportingOverflow(by: factor)
    return overflow ? .max : product
  }

  /// For example `640x480`.
  public var description: String { "\(width)x\(height)" }
}

/// A part of an image, in pixels from its upper left corner; edges may cut through pixels.
public struct PixelRect: Sendable, Hashable {
  /// The left edge.
  public var left: Double
  /// The upper edge.
  public var top: Double
  /// The distance from the left to the right edge.
  public var width: Double
  /// The distance from the upper to the lower edge.
  public var height: Double

  /// Creates a rectangle.
  public init(left: Double, top: Double, width: Double, height: Double) {
    self.left = left
    self.top = top
    self.width = width
    self.height = height
  }

  /// Creates a rectangle that covers an image.
  public init(_ size: PixelSize) {
    self.init(left: 0, top: 0, width: Double(size.width), height: Double(size.height))
  }
}
