public import ImageModel

/// A part of an image, in pixels or in shares of its sides, which may be mixed.
public struct CropRectangle: Sendable, Hashable {
  /// A distance along one side of an image.
  public enum Length: Sendable, Hashable {
    /// In pixels.
    case pixels(Int)
    /// As a share of the side, 0 through 1.
    case share(Double)

    fileprivate init?(_ text: Substring) {
      let digits = text.utf8
      guard digits.count <= 18, digits.allSatisfy({ (48...57).contains($0) || $0 == 46 }) else {
        return nil
      }
      if digits.contains(46) {
        guard let share = Double(text) else { return nil }
        self = .share(share)
      } else {
        guard let pixels = Int(text) else { return nil }
        self = .pixels(pixels)
      }
    }

    fileprivate func pixels(of side: Int) -> Int {
      switch self {
      case .pixels(let count): count
      case .share(let share): Int((share * Double(side)).rounded())
      }
    }

    fileprivate var text: String {
      switch self {
      case .pixels(let count): "\(count)"
      case .share(let share): "\(share)"
      }
    }
  }

  /// The distances of the left and upper edges from those of the image.
  public let left, top: Length
  /// The sides.
  public let width, height: Length

  /// Creates a rectangle.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for one that is empty or inside no image.
  public init(left: Length, top: Length, width: Length, height: Length) throws(ImageError) {
    let pixels = 0...Int(Int32.max)
    for (start, length) in [(left, width), (top, height)] {
      let isValid =
        switch (start, length) {
        case (.share(let start), .share(let length)):
          // Sums of decimal fractions are not exact.
          start >= 0 && length > 0 && start + length <= 1 + 1e-9
        case (.share(let start), .pixels(let length)):
          (0..<1).contains(start) && length > 0 && pixels.contains(length)
        case (.pixels(let start), .share(let length)):
          pixels.contains(start) && length > 0 && length <= 1
        case (.pixels(let start), .pixels(let length)):
          pixels.contains(start) && length > 0 && pixels.contains(length)
        }
      guard isValid else {
        throw ImageError(
          .invalidArgument,
          "a crop of \(left.text),\(top.text),\(width.text),\(height.text) is empty or not inside the image"
        )
      }
    }
    (self.left, self.top, self.width, self.height) = (left, top, width, height)
  }

  /// Reads `LEFT,TOP,WIDTH,HEIGHT`; numbers with a point are shares. `nil` for anything else, and
  /// for what is empty or inside no image.
  public init?(text: String) {
    let lengths = text.split(separator: ",", omittingEmptySubsequences: false).map(Length.init)
    guard lengths.count == 4, let left = lengths[0], let top = lengths[1], let width = lengths[2],
      let height = lengths[3]
    else { return nil }
    do throws(ImageError) {
      try self.init(left: left, top: top, width: width, height: height)
    } catch {
      return nil
    }
  }

  /// Returns the part of an upright image, its edges rounded to whole pixels; at least one pixel.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` where it is not inside the image.
  func part(of size: PixelSize) throws(ImageError) -> (left: Int, top: Int, size: PixelSize) {
    func span(_ start: Length, _ length: Length, _ side: Int) -> Range<Int>? {
      let first = start.pixels(of: side)
      guard case .share(let share) = start, case .share(let rest) = length else {
        let end = first + max(1, length.pixels(of: side))
        return end <= side ? first..<end : nil
      }
      let end = Int((min(1, share + rest) * Double(side)).rounded())
      return min(first, side - 1)..<max(end, min(first, side - 1) + 1)
    }
    guard let columns = span(left, width, size.width), let rows = span(top, height, size.height)
    else {
      throw ImageError(
        .invalidArgument, "a crop of \(description) is not inside the image of \(size) pixels")
    }
    return (
      columns.lowerBound, rows.lowerBound, PixelSize(width: columns.count, height: rows.count)
    )
  }
}

extension CropRectangle: CustomStringConvertible {
  /// For example `10,0,300,200` or `0.25,0.0,0.5,1.0`.
  public var description: String {
    [left, top, width, height].map(\.text).joined(separator: ",")
  }

  /// Whether it is the whole of every image.
  var isWhole: Bool {
    [left, top].allSatisfy { $0 == .pixels(0) || $0 == .share(0) }
      && [width, height].allSatisfy { $0 == .share(1) }
  }
}
