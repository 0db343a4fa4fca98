/// A width and a height in pixels.
public struct PixelSize: Sendable, Hashable, Codable, CustomStringConvertible {
  /// Columns.
  public var width: Int
  /// Rows.
  public var height: Int

  /// Creates a size; nothing is checked here, limits are the business of ``ImageLimits``.
  public init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  /// `width × height` without overflow: the largest `Int` where the product has none.
  public var pixelCount: Int {
    let (product, overflow) = width.multipliedReportingOverflow(by: height)
    return overflow ? .max : product
  }

  /// For example `640x480`.
  public var description: String { "\(width)x\(height)" }
}
