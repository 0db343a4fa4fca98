import ImageModel

/// The colours of one image: how they become those of sRGB.
struct SourceColors: Sendable {
  /// `nil` where the samples are those of sRGB, or nothing usable says what they are.
  private(set) var transform: ColorTransform?
  /// Why the colours that the file describes are not used.
  private(set) var warning: String?

  /// Those of an image whose samples stay as they are.
  init() {}

  /// Reads what a file says of its colours. Damage there does not make an image unreadable.
  init(
    of bytes: RawSpan, _ info: ImageInfo, _ codec: any ImageCodec, limits: ImageLimits
  ) {
    do {
      if let profile = try codec.profile(of: bytes, limits: limits) {
        transform = try ColorTransform.of(profile, info.colorModel)
        return
      }
      // Browsers ignore that of a GIF.
      guard info.iccProfileByteCount != nil, info.format != .gif else { return }
    } catch {}
    warning = "the embedded profile cannot be used"
  }

  func convert(_ pixels: inout PixelBuffer) { transform?.apply(to: &pixels) }
}

extension ThumbnailRecipe {
  /// Whether the profile of an image is embedded in the result. That of inks or of gray does not
  /// describe what is written, and some formats have none: those are converted.
  func embedsProfile(of info: ImageInfo) -> Bool {
    guard profile == .keep else { return false }
    return switch info.colorModel {
    case .cmyk, .ycck, .gray: false
    case .rgb, .palette, .ycbcr:
      ImageCodecs.resultFormat(of: self, info: info)
        .flatMap(ImageCodecs.encodingTraits)?.hasProfile ?? true
    }
  }
}
