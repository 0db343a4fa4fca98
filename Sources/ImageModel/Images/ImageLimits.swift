/// The maximum cost of an input before it is refused. Checked from the header, before pixels are
/// allocated.
///
/// The defaults are those of the command line; they are safe for inputs from anywhere.
public struct ImageLimits: Sendable, Hashable {
  /// Bytes of the encoded file. Default: 64 MiB.
  public var maximumByteCount = 64 << 20
  /// Pixels a side. Default: 65,535.
  public var maximumSide = 65_535
  /// Pixels of one image or canvas. Default: 100 million.
  public var maximumPixels = 100_000_000
  /// Frames of an animation. Default: 10,000.
  public var maximumFrames = 10_000
  /// Pixels of all frames of an animation together: of each what is decoded or the canvas that is
  /// composed, whichever is more. Default: 2,000 million.
  public var maximumAnimationPixels = 2_000_000_000
  /// Scans of a progressive JPEG. Default: 100.
  public var maximumProgressiveScans = 100
  /// Bytes of one ancillary chunk or marker (ICC profile, text). Default: 8 MiB.
  public var maximumChunkByteCount = 8 << 20
  /// Bytes of memory one decode may hold at once, including its pixels. Default: 768 MiB.
  public var maximumMemoryByteCount = 768 << 20
  /// Processor time of one decode. Default: 10 s.
  public var maximumProcessorTime = Duration.seconds(10)

  /// The defaults.
  public init() {}

  /// The limits of a server, where any client chooses the image: the defaults with 50 million
  /// pixels, 150 million of an animation in all (half a second to a second of a core) and 5 s.
  public static let server: ImageLimits = {
    var limits = ImageLimits()
    limits.maximumPixels = 50_000_000
    limits.maximumAnimationPixels = 150_000_000
    limits.maximumProcessorTime = .seconds(5)
    return limits
  }()
}

/// How thoroughly an image is checked before it counts as whole.
public enum ImageCheck: String, Sendable, CaseIterable, Codable {
  /// Every pixel of every frame decodes.
  case decode
  /// Header, markers, chunks or blocks up to the end of the file; no pixel is decoded.
  case structure
  /// Not at all.
  case none
}
