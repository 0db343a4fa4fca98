import DiskCaching
import ImageCodecs
import ImageFetching
import ImageModel

/// An original that was loaded, and what was made of its pixels.
struct OriginalResult: LoadedOriginal {
  let body: FetchedBody
  /// Its metadata; with its content if it is stored.
  @Boxed var record: CacheRecord
  let source: LoadSource
  let freshness: LoadFreshness
  var cost = TransferMeter.Reading()
  let recorder: LoadRecorder
  /// The record that was stored under its key when the request was sent to the origin.
  @BoxedIfAny var previous: CacheRecord? = nil
  /// Whether the origin allows storing it, and it comes from there.
  var isStorable = false
  /// Whether it was checked as the request specifies; originals read from disk were.
  var isChecked = true
  /// The file of a body that was staged, once it is stored.
  var path: String?
  @BoxedIfAny var storeFailure: ImageError? = nil
  /// Its properties; `nil` if they were not read, or it is not an image.
  @BoxedIfAny var info: ImageInfo? = nil
  /// The frames that were made, or why they could not be.
  var outputs = DecodedOutputs()
  /// Thumbnails that were looked up: whether they are on disk.
  var variants: [ThumbnailRecipe: Bool] = [:]

  /// The pixels that a caller needs and that have not been computed yet.
  func missing(_ part: DecodePlan.Part) -> Set<DecodeOutput> {
    var missing = part.outputs
    for recipe in part.variants where variants[recipe] != true {
      missing.insert(DecodeOutput(encoding: recipe))
    }
    return missing.subtracting(outputs.keys)
  }

  /// Whether its bytes came from the origin and were not stored.
  var isUnstored: Bool { isStorable && record.content == nil && storeFailure == nil }

  func satisfies(_ part: DecodePlan.Part) -> Bool {
    missing(part).isEmpty && !(part.isStored && isUnstored)
  }

  mutating func add(_ earlier: OriginalResult) {
    outputs.merge(earlier.outputs) { new, _ in new }
    variants.merge(earlier.variants) { $0 || $1 }
  }

  /// Without the pixels that a caller does not need.
  func limited(to part: DecodePlan.Part) -> OriginalResult {
    var limited = self
    let needed = part.allOutputs
    limited.outputs = outputs.filter { needed.contains($0.key) }
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
  mutating func describe(_ info: ImageInfo, _ placeholder: ImageSummary?) {
    var record = record
    record.format = info.format
    record.size = info.size
    record.frameCount = info.frameCount
    record.thumbHash = placeholder?.thumbHash.bytes ?? []
    record.dominantColor = placeholder?.dominantColor.rgb
    self.record = record
  }
}

extension OriginalResult: SharedMaking {
  var original: CacheRecord { record }
  var byteCount: Int { body.byteCount }

  func bytes() throws(ImageError) -> [UInt8] {
    guard let path else { return try body.bytes() }
    return try DataResponse.bytes(at: path, byteCount)
  }
}
