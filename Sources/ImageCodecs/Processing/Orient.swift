public import ImageModel

/// Turns or mirrors an image as an EXIF orientation specifies.
public struct Orient: ImageProcessing, Hashable {
  /// 1 through 8.
  public let orientation: Int

  /// Creates a step; anything but 1 through 8 counts as 1.
  public init(_ orientation: Int) {
    self.orientation = Orientation(orientation).value
  }

  /// The axes along which an image is mirrored.
  public enum Flip: String, Sendable, CaseIterable, Codable {
    /// Left and right are exchanged.
    case horizontal = "h"
    /// Top and bottom are exchanged.
    case vertical = "v"
    /// Both.
    case both = "hv"
  }

  /// Creates a step that rotates an image and then mirrors it; `nil` for degrees that are not a
  /// multiple of 90.
  ///
  /// Equal results have equal steps: a rotation by 180 is a flip along both axes.
  public init?(rotatedBy clockwiseDegrees: Int, flipped flip: Flip? = nil) {
    guard clockwiseDegrees.isMultiple(of: 90) else { return nil }
    let rotation = Orientation([1, 6, 3, 8][clockwiseDegrees / 90 & 3])
    let flip = flip.map { Orientation($0 == .horizontal ? 2 : $0 == .vertical ? 4 : 3) }
    orientation = rotation.then(flip ?? Orientation(1)).value
  }

  /// For example `orient(6)`.
  public var identity: String { "orient(\(orientation))" }

  /// Turns the image; 1 returns it unchanged.
  public func process(_ image: PixelBuffer) throws(ImageError) -> PixelBuffer {
    image.upright(Orientation(orientation))
  }
}

extension ImageProcessing where Self == Orient {
  /// An ``Orient`` by an EXIF orientation, 1 through 8.
  public static func orient(_ orientation: Int) -> Orient { Orient(orientation) }
}
