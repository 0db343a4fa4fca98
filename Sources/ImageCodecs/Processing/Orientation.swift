import ImageModel

/// The eight ways an image can be stored, as EXIF numbers them.
struct Orientation: Sendable, Hashable {
  let value: Int

  /// Anything but 1 through 8 counts as 1.
  init(_ value: Int) { self.value = (1...8).contains(value) ? value : 1 }

  /// Whether the sides of the stored image are those of the upright one, swapped.
  var swapsSides: Bool { value >= 5 }

  /// The orientation of a turn that follows a flip of left and right.
  private init(quarters: Int, flips: Bool) {
    value = (flips ? [2, 7, 4, 5] : [1, 6, 3, 8])[quarters & 3]
  }

  /// The clockwise quarter turns, and whether left and right are exchanged before them.
  private var parts: (quarters: Int, flips: Bool) {
    [(0, false), (0, true), (2, false), (2, true), (3, true), (1, false), (1, true), (3, false)][
      value - 1]
  }

  /// This one, and then another.
  func then(_ next: Orientation) -> Orientation {
    let (first, second) = (parts, next.parts)
    return Orientation(
      quarters: second.quarters + (second.flips ? -first.quarters : first.quarters),
      flips: first.flips != second.flips)
  }

  /// The other size: stored for upright, upright for stored.
  func turned(_ size: PixelSize) -> PixelSize {
    swapsSides ? PixelSize(width: size.height, height: size.width) : size
  }

  /// Where a part of the upright image lies in the stored one.
  func stored(_ part: PixelRect, of upright: PixelSize) -> PixelRect {
    // A difference that is zero may be rounded to less.
    let right = max(0, Double(upright.width) - part.left - part.width)
    let below = max(0, Double(upright.height) - part.top - part.height)
    let (width, height) = (part.width, part.height)
    return switch value {
    case 2: PixelRect(left: right, top: part.top, width: width, height: height)
    case 3: PixelRect(left: right, top: below, width: width, height: height)
    case 4: PixelRect(left: part.left, top: below, width: width, height: height)
    case 5: PixelRect(left: part.top, top: part.left, width: height, height: width)
    case 6: PixelRect(left: part.top, top: right, width: height, height: width)
    case 7: PixelRect(left: below, top: right, width: height, height: width)
    case 8: PixelRect(left: below, top: part.left, width: height, height: width)
    default: part
    }
  }
}
