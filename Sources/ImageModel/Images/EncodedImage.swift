/// An image as the bytes of a file.
public struct EncodedImage: Sendable, Hashable {
  /// The whole file.
  public var bytes: [UInt8]
  /// The format of the bytes.
  public var format: ImageFormat
  /// The size of the image.
  public var size: PixelSize
  /// Frames in the file; a still has 1.
  public var frameCount: Int
  /// What of the original could not be used, though the image was made: its colour profile. Default:
  /// nothing.
  public var warnings: [String] = []

  /// Creates a description of bytes that are there already.
  public init(bytes: [UInt8], format: ImageFormat, size: PixelSize, frameCount: Int = 1) {
    self.bytes = bytes
    self.format = format
    self.size = size
    self.frameCount = frameCount
  }
}

extension EncodedImage: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "bytes": bytes.summary, "format": format, "size": size, "frameCount": frameCount,
      "warnings": warnings,
    ]
  }
}
