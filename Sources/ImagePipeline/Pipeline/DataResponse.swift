/// The encoded bytes of a picture, and where they came from.
public struct DataResponse: Sendable {
  /// The bytes themselves, or where they lie.
  public enum Body: Sendable {
    /// In memory.
    case bytes([UInt8])
    /// A regular file of the cache; it stays readable until it is evicted.
    case file(path: String)
  }

  /// The URL as it was asked for.
  public let url: String
  /// The bytes, as the origin sent them.
  public let body: Body
  /// Their SHA-256; `nil` when they are not kept.
  public private(set) var hash: BlobHash?
  /// How many there are.
  public let byteCount: Int
  /// What they are, sniffed; `nil` when that was not checked.
  public let format: ImageFormat?
  /// The size of the picture as it is shown; `nil` when that was not checked.
  public let size: PixelSize?
  /// Frames of the picture, at least 1.
  public let frameCount: Int
  /// Which tier answered.
  public let source: LoadSource
  /// HTTP requests that were sent for it, redirects and retries included.
  public let requestCount: Int
  /// Bytes of bodies received for it.
  public let receivedByteCount: Int
  /// Why the bytes could not be kept although they were had; `nil` when they are kept.
  public internal(set) var storeFailure: ImageError?
  /// How far the bytes could be trusted.
  public let freshness: LoadFreshness
  /// The stages of the load, in the order of their ends.
  public let steps: [LoadStep]
  /// What is known of the bytes besides.
  package private(set) var record: CacheRecord
  /// Where the stages were written down: tells who loaded from who joined.
  let recorder: LoadRecorder

  /// Whether the bytes came from the origin and were not stored, for nobody who asked first wanted
  /// them to be.
  var isLeftUnstored: Bool { source == .network && hash == nil && storeFailure == nil }

  /// The bytes; read from the file where they are there.
  ///
  /// - Throws: ``ImageError`` with code `fileUnreadable` when the file is gone.
  public func bytes() throws(ImageError) -> [UInt8] {
    switch body {
    case .bytes(let bytes): return bytes
    case .file(let path):
      do {
        return try MappedFile(path: path, byteCount: byteCount).withBytes { span in
          span.withUnsafeBytes { [UInt8]($0) }
        }
      } catch {
        throw ImageError(.fileUnreadable, "cannot read \(path): it may have been evicted")
      }
    }
  }

  init(
    _ request: ImageRequest, body: Body, byteCount: Int, record: CacheRecord, source: LoadSource,
    meter: TransferMeter, storeFailure: ImageError? = nil, freshness: LoadFreshness = .current,
    recorder: LoadRecorder = LoadRecorder()
  ) {
    url = request.url
    self.body = body
    self.byteCount = byteCount
    hash = record.content?.hash
    format = record.format
    size = record.size
    frameCount = record.frameCount
    self.source = source
    requestCount = meter.reading.requestCount
    receivedByteCount = meter.reading.receivedByteCount
    self.storeFailure = storeFailure
    self.freshness = freshness
    self.recorder = recorder
    self.record = record
    steps = recorder.steps
  }

  /// What was kept.
  init(
    _ request: ImageRequest, _ kept: CachedEntry, source: LoadSource, freshness: LoadFreshness,
    recorder: LoadRecorder
  ) {
    self.init(
      request, body: .bytes(kept.bytes), byteCount: kept.bytes.count, record: kept.record,
      source: source, meter: TransferMeter(), freshness: freshness, recorder: recorder)
  }

  /// The same with what a look at the bytes has told.
  func described(by checked: CheckedImage?) -> DataResponse {
    guard let checked else { return self }
    var described = self
    described.record.format = checked.info.format
    described.record.size = checked.info.size
    described.record.frameCount = checked.info.frameCount
    described.record.thumbHash = checked.placeholder?.thumbHash.bytes ?? []
    described.record.dominantColor = checked.placeholder?.dominantColor.rgb
    return described
  }

  /// Says that the bytes were stored after all.
  mutating func keep(as record: CacheRecord) {
    self.record = record
    hash = record.content?.hash
  }

  /// Lets `body` read the bytes where they are.
  func withBytes<Result>(_ read: (RawSpan) throws -> Result) throws -> Result {
    switch body {
    case .bytes(let bytes): try read(bytes.span.bytes)
    case .file(let path): try MappedFile(path: path, byteCount: byteCount).withBytes(read)
    }
  }
}
