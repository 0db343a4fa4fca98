import ImageModel

/// The one image of a JPEG, or the default image of a PNG.
struct StillSource {
  let format: CodecBridge.StillFormat
  let info: ImageInfo
  let limits: ImageLimits
  let options: DecodingOptions

  /// Decodes it upright, and to sRGB where that is asked for.
  func decode(
    _ bytes: RawSpan, warnings: inout [String]
  ) throws(ImageError) -> StillDecoder.Result {
    let isLenient = options.allowsPartial
    let decoder = StillDecoder(
      orientation: info.orientation, isLenient: isLenient, limits: limits)
    var result = try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      switch format {
      case .jpeg:
        try decoder.decode(try JPEGRowReader(raw, limits: limits, isLenient: isLenient))
      case .png:
        try decoder.decode(try PNGRowReader(raw, limits: limits))
      }
    }
    if let warning = result.warning { warnings.append(warning) }
    if options.color == .srgb { try convert(&result.pixels, bytes, &warnings) }
    return result
  }

  private func convert(
    _ pixels: inout PixelBuffer, _ bytes: RawSpan, _ warnings: inout [String]
  ) throws(ImageError) {
    guard let profile = try CodecBridge.profile(format, bytes, limits: limits) else { return }
    // Inks are turned into red, green and blue without a profile, so theirs says nothing of them.
    let isInk = info.colorModel == .cmyk || info.colorModel == .ycck
    if isInk || !ColorBridge.convertToSRGB(&pixels, from: profile) {
      warnings.append("the embedded profile cannot be used")
    }
  }
}
