public import ImageModel

/// The frames of an animation: where each lies and how it is drawn.
///
/// The bytes of the file stay with the caller, which passes the same ones to each call. One task at
/// a time.
public protocol FrameSequence: AnyObject {
  /// The properties of the animation; its delays are those of the frames that are whole.
  var info: ImageInfo { get }
  /// The frames that are whole.
  var count: Int { get }
  /// Whether one more frame follows whose data is cut; it can be drawn where damage is allowed.
  var hasPartialFrame: Bool { get }
  /// The reason why the frames end too early; `nil` for a complete file.
  var fault: ImageError? { get }
  /// Whether nothing but the end mark is missing, so that all frames can be shown.
  var isFaultHarmless: Bool { get }
  /// Oddities that are not errors, as text.
  var warnings: [String] { get }

  /// The place and manner of a frame; the index is below ``count``, or equal to it for a partial
  /// frame.
  subscript(index: Int) -> FrameDescription { get }

  /// Draws a frame over a canvas, or only decodes it where there is none.
  ///
  /// - Returns: Whether some of its pixels are missing, which are left alone then.
  /// - Throws: `ImageError` where it cannot be decoded, or with all frames since
  ///   ``restartClock()`` takes more processor time than the limits allow.
  func draw(
    _ index: Int, of bytes: RawSpan, onto canvas: inout PixelBuffer?
  ) throws(ImageError) -> Bool

  /// Resets the processor time spent, so that its limit applies to the frames from here on.
  func restartClock()
}

extension FrameSequence {
  /// No.
  public var hasPartialFrame: Bool { false }
  /// None.
  public var fault: ImageError? { nil }
  /// No.
  public var isFaultHarmless: Bool { false }
  /// None.
  public var warnings: [String] { [] }
}

/// One frame of an animation, before its pixels are decoded.
public struct FrameDescription: Sendable, Hashable {
  /// The column of its left edge on the canvas.
  public var left: Int
  /// The row of its upper edge.
  public var top: Int
  /// Its size.
  public var size: PixelSize
  /// The treatment of its area before the next frame is drawn.
  public var disposal: FrameDisposal
  /// Whether it replaces every pixel of its area: it is opaque, or not blended.
  public var replacesArea: Bool
  /// The delay that the file states.
  public var delay: Duration

  /// Creates a description.
  public init(
    left: Int, top: Int, size: PixelSize, disposal: FrameDisposal, replacesArea: Bool,
    delay: Duration
  ) {
    self.left = left
    self.top = top
    self.size = size
    self.disposal = disposal
    self.replacesArea = replacesArea
    self.delay = delay
  }
}

/// The treatment of a frame's area of the canvas before the next frame is drawn.
public enum FrameDisposal: Sendable {
  /// It stays.
  case keep
  /// It becomes transparent.
  case clear
  /// It is restored to what it was before the frame.
  case restore
}
