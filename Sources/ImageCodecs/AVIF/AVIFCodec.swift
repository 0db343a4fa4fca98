#if AVIF
  import CImageAVIF
  import ImageModel

  /// AVIF by libavif, stills alone: a sequence shows its primary image. Built with the package
  /// trait `AVIF`. The only importer of `CImageAVIF`.
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
      try AVIFRowReader(bytes, limits: limits)
    }

    func profile(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
      try CodecBridge.profile(of: bytes, "AVIF", limits: limits) {
        imgc_avif_icc($0, $1, &$2, &$3, &$4)
      }
    }
  }

  /// Decodes rows; the bytes are borrowed: it must not outlive the closure that lends them.
  final class AVIFRowReader: RowReading {
    let size: PixelSize
    private let handle: OpaquePointer

    init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(ImageError) {
      CodecBridge.report(.decode, bytes)
      var bounds = CodecBridge.limits(limits)
      handle = try CodecBridge.open("AVIF", bytes) { imgc_avif_reader_open($0, $1, &bounds, &$2) }
      size = PixelSize(
        width: Int(imgc_avif_reader_width(handle)), height: Int(imgc_avif_reader_height(handle)))
    }

    deinit { imgc_avif_reader_close(handle) }

    func read(_ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int)
      throws(ImageError)
    {
      try CodecBridge.read("AVIF", size, count, room, &done) {
        imgc_avif_reader_read(handle, $0, &$1, &$2)
      }
    }
  }
#endif
