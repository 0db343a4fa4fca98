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
      bytes.withUnsafeBytes { CodecBridge.report(.header, $0) }
      var found = imgc_info()
      var bounds = CodecBridge.limits(limits)
      try CodecBridge.call("AVIF", on: bytes) {
        imgc_avif_scan($0, $1, &bounds, &found, &$2)
      }
      // What the data behind the boxes is missing only a decode tells.
      if check == .structure { try checkPixels(of: bytes, limits: limits) }
      return CodecBridge.info(found, format: .avif)
    }

    func rows(
      of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
    ) throws(ImageError) -> any RowReading {
      try AVIFRowReader(bytes, limits: limits)
    }

    func profile(of bytes: RawSpan, limits: ImageLimits) throws(ImageError) -> [UInt8]? {
      var out = imgc_buffer()
      var bounds = CodecBridge.limits(limits)
      try CodecBridge.call("AVIF", on: bytes) { imgc_avif_icc($0, $1, &bounds, &out, &$2) }
      let profile = CodecBridge.take(&out)
      return profile.isEmpty ? nil : profile
    }
  }

  /// Decodes rows; the bytes are borrowed: it must not outlive the closure that lends them.
  final class AVIFRowReader: RowReading {
    let size: PixelSize
    private let handle: OpaquePointer
    private let bounds: UnsafeMutablePointer<imgc_limits>

    init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(ImageError) {
      CodecBridge.report(.decode, bytes)
      let bounds = UnsafeMutablePointer<imgc_limits>.allocate(capacity: 1)
      bounds.initialize(to: CodecBridge.limits(limits))
      do throws(ImageError) {
        handle = try CodecBridge.open("AVIF", bytes) { imgc_avif_reader_open($0, $1, bounds, &$2) }
      } catch {
        bounds.deallocate()
        throw error
      }
      self.bounds = bounds
      size = PixelSize(
        width: Int(imgc_avif_reader_width(handle)), height: Int(imgc_avif_reader_height(handle)))
    }

    deinit {
      imgc_avif_reader_close(handle)
      bounds.deallocate()
    }

    func read(_ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int)
      throws(ImageError)
    {
      try CodecBridge.read("AVIF", size, count, room, &done) {
        imgc_avif_reader_read(handle, $0, &$1, &$2)
      }
    }
  }
#endif
