import CImageAVIF
import ImageModel

/// AVIF by libavif, which is loaded with the first one. Stills alone: a sequence shows its primary
/// image.
struct AVIFCodec: ImageCodec {
  let format = ImageFormat.avif

  var missingLibrary: String? { Self.isPresent ? nil : "libavif 0.11" }
  private static let isPresent = imgc_avif_is_present()

  func recognition(of head: RawSpan) -> ImageRecognition {
    MediaBrands.recognition(of: head, as: .avif)
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let info = try CodecBridge.info(of: bytes, as: .avif, "AVIF", limits: limits) {
      imgc_avif_scan($0, $1, &$2, &$3, &$4)
    }
    // What the data behind the boxes is missing only a decode tells.
    if check == .structure { try checkPixels(of: bytes, limits: limits) }
    return info
  }

  func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading {
    try CodecRows("AVIF", bytes, limits: limits, Self.calls) {
      imgc_avif_reader_open($0, $1, &$2, &$3)
    }
  }

  private static let calls = CodecRows.Calls(
    width: imgc_avif_reader_width, height: imgc_avif_reader_height, read: imgc_avif_reader_read,
    close: imgc_avif_reader_close)

  func profile(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
    let profile = try CodecBridge.profile(of: bytes, "AVIF", limits: limits) {
      imgc_avif_icc($0, $1, &$2, &$3, &$4)
    }
    return try profile ?? ItemDescription(of: bytes, limits: limits).profile
  }

  var encoding: EncodingTraits? {
    EncodingTraits(hasAlpha: true, isAnimated: false, hasProfile: true, isLossless: true)
  }

  func encode(
    _ frames: [AnimationFrame], options: EncodingOptions
  ) throws(ImageError) -> [UInt8] {
    var settings = imgc_avif_options()
    settings.quantizer = Int32((63 - QualityScale.avif[options.quality]).rounded())
    // Speed 9 has the bytes of a WebP in two thirds of its time; RESULTS has the table.
    settings.speed = 9
    settings.lossless = options.isLossless
    settings.full_chroma = options.chroma == .full
    let profile = options.iccProfile ?? []
    let exif = options.exif ?? []
    return try profile.withUnsafeBufferPointer { (profile) throws(ImageError) in
      try exif.withUnsafeBufferPointer { (exif) throws(ImageError) in
        (settings.icc, settings.icc_size) = (profile.baseAddress, profile.count)
        (settings.exif, settings.exif_size) = (exif.isEmpty ? nil : exif.baseAddress, exif.count)
        return try CodecBridge.bytes("AVIF") { out, failure in
          CodecBridge.withImage(frames[0].pixels) {
            imgc_avif_encode($0, &settings, &out, &failure)
          }
        }
      }
    }
  }
}

extension AVIFCodec: MetadataEditing {
  /// A file that has none is as it should be; boxes are not written again.
  func withoutMetadata(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    let description = ItemDescription(of: bytes.bytes, limits: ImageLimits())
    return description.hasMetadata || description.hasProfile ? nil : [UInt8](bytes)
  }

  func metadata(of bytes: UnsafeRawBufferPointer) -> ImageMetadata {
    ImageMetadata(exif: ItemDescription(of: bytes.bytes, limits: ImageLimits()).exif)
  }
}
