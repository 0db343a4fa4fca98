import DiskCaching
import ImageCodecs
import ImageFetching
import ImageModel

/// The results that callers need of an original.
struct OriginalWants: Sendable {
  /// Pixels.
  var outputs: Set<DecodeOutput> = []
  /// Encoded thumbnails; no pixels are made for those on disk.
  var variants: Set<ThumbnailRecipe> = []
  /// Whether the bytes are to be stored.
  var isStored = false

  /// The pixels, also those for thumbnails that may be on disk.
  var allOutputs: Set<DecodeOutput> { outputs.union(variants.map(DecodeOutput.init(encoding:))) }
}

/// An original that was loaded, and what was made of its pixels.
struct OriginalResult: Sendable {
  let body: FetchedBody
  /// Its metadata; with its content if it is stored.
  @Boxed var record: CacheRecord
  let source: LoadSource
  let freshness: LoadFreshness
  /// HTTP requests and bytes that it took.
  var cost = TransferMeter.Reading()
  /// The recorder of its stages.
  let recorder: LoadRecorder
  private var boxedPrevious: Boxed<CacheRecord>?
  /// Whether the origin allows storing it, and it comes from there.
  var isStorable = false
  /// Whether it was checked as the request specifies; originals read from disk were.
  var isChecked = true
  /// The file of a body that was staged, once it is stored.
  var path: String?
  private var boxedFailure: Boxed<ImageError>?
  private var boxedInfo: Boxed<ImageInfo>?
  /// The frames that were made, or why they could not be.
  var outputs = DecodedOutputs()
  /// Thumbnails that are on disk.
  var storedVariants: Set<ThumbnailRecipe> = []

  init(
    body: FetchedBody, record: CacheRecord, source: LoadSource, freshness: LoadFreshness,
    recorder: LoadRecorder, isStorable: Bool = false, isChecked: Bool = true
  ) {
    self.body = body
    _record = Boxed(wrappedValue: record)
    self.source = source
    self.freshness = freshness
    self.recorder = recorder
    self.isStorable = isStorable
    self.isChecked = isChecked
  }

  /// The record that was stored under its key when the request was sent to the origin.
  var previous: CacheRecord? {
    get { boxedPrevious?.wrappedValue }
    set { boxedPrevious = newValue.map { Boxed(wrappedValue: $0) } }
  }

  /// The reason why it could not be stored.
  var storeFailure: ImageError? {
    get { boxedFailure?.wrappedValue }
    set { boxedFailure = newValue.map { Boxed(wrappedValue: $0) } }
  }

  /// Its properties; `nil` if they were not read, or it is not an image.
  var info: ImageInfo? {
    get { boxedInfo?.wrappedValue }
    set { boxedInfo = newValue.map { Boxed(wrappedValue: $0) } }
  }

  /// The requested pixels that have not been computed yet.
  func missing(_ wants: OriginalWants) -> Set<DecodeOutput> {
    OriginalWants(
      outputs: wants.outputs, variants: wants.variants.subtracting(storedVariants)
    ).allOutputs.subtracting(outputs.keys)
  }

  /// Whether its bytes came from the origin and were not stored.
  var isUnstored: Bool { isStorable && record.content == nil && storeFailure == nil }

  func satisfies(_ wants: OriginalWants) -> Bool {
    missing(wants).isEmpty && !(wants.isStored && isUnstored)
  }

  /// Adds what an earlier decode of the same original made.
  mutating func add(_ earlier: OriginalResult) {
    outputs.merge(earlier.outputs) { new, _ in new }
    storedVariants.formUnion(earlier.storedVariants)
  }

  /// Without the pixels that a caller has not requested.
  func limited(to wants: OriginalWants) -> OriginalResult {
    var limited = self
    let wanted = wants.allOutputs
    limited.outputs = outputs.filter { wanted.contains($0.key) }
    return limited
  }

  /// Copies the properties of the same bytes from a record.
  mutating func describe(_ stored: CacheRecord) {
    var record = record
    record.format = stored.format
    record.size = stored.size
    record.frameCount = stored.frameCount
    record.thumbHash = stored.thumbHash
    record.dominantColor = stored.dominantColor
    self.record = record
  }

  /// Fills in the properties that an inspection of the bytes has found.
  mutating func describe(_ info: ImageInfo?, _ placeholder: ImageSummary?) {
    var record = record
    record.format = info?.format
    record.size = info?.size
    record.frameCount = info?.frameCount ?? 1
    record.thumbHash = placeholder?.thumbHash.bytes ?? []
    record.dominantColor = placeholder?.dominantColor.rgb
    self.record = record
  }
}
