/// The properties in the header and the blocks of an image file, read without decoding pixels.
public struct ImageInfo: Sendable, Hashable {
  /// How the samples of the file are to be read.
  public enum ColorModel: String, Sendable, Codable {
    case gray, rgb, palette, ycbcr, cmyk, ycck
  }

  /// Sniffed from the bytes.
  public var format: ImageFormat
  /// The size of the image as it is shown: EXIF orientation is applied.
  public var size: PixelSize
  /// The file's EXIF orientation tag, 1 through 8. Default: 1.
  public var orientation = 1
  /// How samples are to be read.
  public var colorModel: ColorModel
  /// Bits a sample in the file: 1, 2, 4, 8, 12 or 16.
  public var bitDepth = 8
  /// Whether any pixel may be other than opaque.
  public var hasAlpha = false
  /// Whether the file is a progressive JPEG or an interlaced PNG or GIF.
  public var isProgressive = false
  /// Bytes of the embedded ICC profile; `nil` when there is none.
  public var iccProfileByteCount: Int?
  /// How long each frame is shown, as written in the file. One entry for each frame; a still has
  /// one zero.
  public var rawDelays: [Duration] = [.zero]
  /// How many times the animation plays; 0 is for ever. A still, or a file without a loop block: 1.
  public var loopCount = 1

  /// Frames in the file, at least 1.
  public var frameCount: Int { rawDelays.count }

  /// Pixels of all frames: what decoding the whole file costs.
  package var decodedPixelCount: Int { size.pixelCount(times: frameCount) }

  /// Whether frames have delays: a GIF's do, and those of an animated PNG.
  public var isTimed: Bool { format == .gif || rawDelays.count > 1 }

  /// Creates a description of a still; set what differs.
  public init(format: ImageFormat, size: PixelSize, colorModel: ColorModel) {
    self.format = format
    self.size = size
    self.colorModel = colorModel
  }

  /// The browsers' rule: a delay of at most 10 ms plays as 100 ms.
  public static func shownDelay(for raw: Duration) -> Duration {
    raw <= .milliseconds(10) ? .milliseconds(100) : raw
  }
}
