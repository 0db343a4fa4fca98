public import DiskCaching
import ImageFetching
public import ImageModel

/// The encoded bytes of an image, and where they came from.
public struct DataResponse: Sendable {
  /// The bytes themselves, or the file that holds them.
  public enum Body: Sendable {
    /// In memory.
    case bytes([UInt8])
    /// A regular file of the cache; it stays readable until it is evicted.
    case file(path: String)
  }

  /// The URL of the request.
  public let url: String
  /// The original as the origin sent it, or the encoded result.
  public let body: Body
  /// The SHA-256 of the bytes; `nil` if they are not stored.
  public private(set) var hash: BlobHash?
  /// The number of bytes.
  public let byteCount: Int
  /// The format, sniffed; `nil` if that was not checked.
  public private(set) var format: ImageFormat?
  /// The size of the image as it is shown; `nil` if that was not checked.
  public private(set) var size: PixelSize?
  /// The number of frames, at least 1.
  public private(set) var frameCount: Int
  /// The tier that had the original, or the stored result.
  public let source: LoadSource
  /// The freshness of the original.
  public let freshness: LoadFreshness
  /// Whether these bytes are a result that was made for this load; one that was on disk is not.
  public internal(set) var isNew = false
  /// As `EncodedImage.warnings`, of a result that was made for this load.
  public internal(set) var warnings: [String] = []
  /// The read-only file of the cache with these bytes; `nil` if they are not stored.
  public internal(set) var path: String?
  /// The reason why the bytes could not be stored; `nil` if they were, or storing was not required.
  public internal(set) var storeFailure: ImageError? {
    get { boxedFailure }
    set {
      var failure = newValue
      failure?.url = url
      boxedFailure = failure
    }
  }
  @BoxedIfAny private var boxedFailure: ImageError? = nil
  /// Whether the load joined another one and entered no stage itself.
  public internal(set) var wasShared = false
  /// The stages of the load, in the order of their ends.
  public let steps: [LoadStep]
  /// The record of the original.
  public var original: CacheRecord { boxedOriginal }
  @Boxed private var boxedOriginal: CacheRecord
  var cost = TransferMeter.Reading()
  /// The recorder of the stages: distinguishes the load that started them from those that joined.
  let recorder: LoadRecorder

  /// HTTP requests that were sent, redirects and retries included.
  public var requestCount: Int { cost.requestCount }
  /// Bytes of bodies that were received.
  public var receivedByteCount: Int { cost.receivedByteCount }

  /// The bytes; read from the file if they are there.
  ///
  /// - Throws: `ImageError` with code `fileUnreadable` when the file is gone.
  public func bytes() throws(ImageError) -> [UInt8] {
    switch body {
    case .bytes(let bytes): bytes
    case .file(let path): try Self.bytes(at: path, byteCount, of: url)
    }
  }

  static func bytes(
    at path: String, _ byteCount: Int, of url: String? = nil
  ) throws(ImageError) -> [UInt8] {
    do {
      return try MappedFile(path: path, byteCount: byteCount).withBytes { span in
        span.withUnsafeBytes { [UInt8]($0) }
      }
    } catch {
      throw ImageError(.fileUnreadable, "cannot read \(path): it may have been evicted", url: url)
    }
  }

  init(
    _ url: String, _ body: Body, byteCount: Int? = nil, original: CacheRecord, source: LoadSource,
    freshness: LoadFreshness = .current, recorder: LoadRecorder = LoadRecorder()
  ) {
    self.url = url
    self.body = body
    self.byteCount = byteCount ?? { if case .bytes(let bytes) = body { bytes.count } else { 0 } }()
    self.source = source
    self.freshness = freshness
    _boxedOriginal = Boxed(wrappedValue: original)
    self.recorder = recorder
    frameCount = 1
    steps = recorder.steps
    describe(original)
  }

  /// A response with bytes from disk, or that were stored there.
  init(_ load: Load, _ stored: CachedEntry, of loaded: some LoadedOriginal) {
    self.init(
      load.resolved.request.url, .bytes(stored.bytes), original: loaded.record,
      source: loaded.source, freshness: loaded.freshness, recorder: load.watch.recorder)
    describe(stored.record)
    path = load.graph.disk?.location(of: stored.record)
  }

  /// Notes what the original cost, and why it could not be stored.
  mutating func add(costOf original: some LoadedOriginal) {
    cost = original.cost
    storeFailure = original.storeFailure ?? storeFailure
  }

  /// Copies the properties of the bytes from a record.
  mutating func describe(_ record: CacheRecord) {
    hash = record.content?.hash
    format = record.format
    size = record.size
    frameCount = record.frameCount
  }
}

extension DataResponse: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    [
      "url": url, "body": body, "format": format, "size": size, "frameCount": frameCount,
      "source": source, "freshness": freshness, "storeFailure": storeFailure,
    ]
  }
}

extension DataResponse.Body: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    switch self {
    case .bytes(let bytes): ["bytes": bytes.summary]
    case .file(let path): ["file": path]
    }
  }
}

extension DataResponse: SharedMaking {}

extension LoadReport.Ending {
  init(_ response: DataResponse, to request: ImageRequest) {
    source = response.source
    freshness = response.freshness
    byteCount = response.byteCount
    variant = request.isProcessed ? request.resultIdentity : nil
    wasShared = response.wasShared
  }
}

/// An original, and thumbnails that were made of it.
public struct ThumbnailedResponse: Sendable {
  /// The original.
  public let original: DataResponse
  /// The thumbnails, in the order of their recipes; an error for one that cannot be made.
  public internal(set) var thumbnails: [Result<DataResponse, ImageError>] = []
}
