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
    let profile =
      options.color == .srgb ? try CodecBridge.profile(format, bytes, limits: limits) : nil
    let isInk = info.colorModel == .cmyk || info.colorModel == .ycck
    if isInk, let profile, let result = try decodeInks(bytes, profile) {
      if let warning = result.warning { warnings.append(warning) }
      return result
    }
    var result = try decode(bytes, keepsInks: false)
    if let warning = result.warning { warnings.append(warning) }
    // Inks are red, green and blue now, of which the profile says nothing.
    if let profile, isInk || !ColorBridge.convertToSRGB(&result.pixels, from: profile) {
      warnings.append("the embedded profile cannot be used")
    }
    return result
  }

  /// The image in sRGB from inks; `nil` where the profile does not fit, or rows are missing, which
  /// inks cannot show as transparent.
  private func decodeInks(
    _ bytes: RawSpan, _ profile: [UInt8]
  ) throws(ImageError) -> StillDecoder.Result? {
    var result = try decode(bytes, keepsInks: true)
    guard result.fault == nil, ColorBridge.convertInksToSRGB(&result.pixels, from: profile) else {
      return nil
    }
    return result
  }

  private func decode(
    _ bytes: RawSpan, keepsInks: Bool
  ) throws(ImageError) -> StillDecoder.Result {
    let isLenient = options.allowsPartial
    let decoder = StillDecoder(
      orientation: info.orientation, isLenient: isLenient, limits: limits)
    return try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      switch format {
      case .jpeg:
        try decoder.decode(
          try JPEGRowReader(raw, limits: limits, isLenient: isLenient, keepsInks: keepsInks))
      case .png:
        try decoder.decode(try PNGRowReader(raw, limits: limits))
      }
    }
  }
}
