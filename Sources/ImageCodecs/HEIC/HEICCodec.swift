import CImageHEIF
import ImageModel

/// HEIC by libheif, which is loaded with the first image that is decoded; the header is read without
/// it. Stills, single or in a grid: a sequence shows its primary image.
struct HEICCodec: ImageCodec {
  let format = ImageFormat.heic

  var missingLibrary: String? { Self.isPresent ? nil : "libheif 1.13" }
  private static let isPresent = imgc_heif_is_present()

  func recognition(of head: RawSpan) -> ImageRecognition {
    MediaBrands.recognition(of: head, as: .heic)
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let info = try CodecBridge.info(of: bytes, as: .heic, "HEIC", limits: limits) {
      imgc_heif_scan($0, $1, &$2, &$3, &$4)
    }
    // What the data behind the boxes is missing only a decode tells.
    if check == .structure { try checkPixels(of: bytes, limits: limits) }
    return info
  }

  func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading {
    try CodecRows("HEIC", bytes, limits: limits, Self.calls) {
      imgc_heif_reader_open($0, $1, &$2, &$3)
    }
  }

  private static let calls = CodecRows.Calls(
    width: imgc_heif_reader_width, height: imgc_heif_reader_height, read: imgc_heif_reader_read,
    close: imgc_heif_reader_close)

  func profile(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
    let profile = try CodecBridge.profile(of: bytes, "HEIC", limits: limits) {
      imgc_heif_icc($0, $1, &$2, &$3, &$4)
    }
    return try profile ?? ItemDescription(of: bytes, limits: limits).profile
  }
}

extension HEICCodec: MetadataEditing {
  /// None is written.
  func withoutMetadata(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? { nil }

  func metadata(of bytes: UnsafeRawBufferPointer) -> ImageMetadata {
    ImageMetadata(exif: ItemDescription(of: bytes.bytes, limits: ImageLimits()).exif)
  }
}

/// What the boxes of an AVIF or a HEIC say of its primary image besides the samples.
struct ItemDescription {
  let hasProfile: Bool
  let hasMetadata: Bool
  let exif: [UInt8]
  private let numbers: ColorNumbers

  init(of bytes: RawSpan, limits: ImageLimits) {
    var bounds = CodecBridge.limits(limits)
    var found = bytes.withUnsafeBytes { raw in
      raw.baseAddress.map {
        imgc_heif_describe($0.assumingMemoryBound(to: UInt8.self), raw.count, &bounds)
      } ?? imgc_heif_description()
    }
    hasProfile = found.has_icc
    hasMetadata = found.has_metadata
    exif = CodecBridge.bytes(freeing: &found.exif)
    // Curves of video are meant to be shown as that of sRGB: those of BT.709, BT.601 and BT.2020.
    let isVideo = [1, 6, 14, 15].contains(found.transfer)
    numbers = ColorNumbers(primaries: found.primaries, transfer: isVideo ? 13 : found.transfer)
  }

  /// A profile of the colours in numbers; `nil` for the primaries of sRGB (1) and for none (2), whose
  /// curve is taken for that of sRGB.
  var profile: [UInt8]? {
    hasProfile || numbers.primaries <= 2 ? nil : ColorBridge.profile(of: numbers)
  }
}
