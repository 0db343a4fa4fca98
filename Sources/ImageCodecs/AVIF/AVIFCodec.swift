#if AVIF
  import CImageAVIF
  import ImageModel

  /// AVIF by libavif, stills alone: a sequence shows its primary image. Built with the trait
  /// `AVIF`.
  struct AVIFCodec: ImageCodec {
    let format = ImageFormat.avif

    func recognition(of head: RawSpan) -> ImageRecognition {
      let bytes = head.withUnsafeBytes { [UInt8]($0) }
      if MediaBrands.format(of: bytes) == .avif { return .yes }
      return MediaBrands.couldBegin(with: bytes) ? .undecided : .no
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
      try CodecBridge.profile(of: bytes, "AVIF", limits: limits) {
        imgc_avif_icc($0, $1, &$2, &$3, &$4)
      }
    }
  }
#endif
