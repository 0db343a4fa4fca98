/// An area of comparisons, which is a benchmark target.
public enum Area: String, CaseIterable, Sendable {
  /// Decoding and encoding.
  case codec
  /// Resizing pixels.
  case resize
  /// From encoded bytes to the thumbnail's bytes.
  case thumbnail
  /// The memory tier.
  case memory
  /// The disk tier.
  case disk
  /// The overhead of the pipeline.
  case loader
  /// Many images to disk, and again.
  case prefetch

  /// The comparisons, in the order of the report.
  public var comparisons: [Comparison] {
    switch self {
    case .codec: CodecComparisons.all
    case .resize: ResizeComparisons.all
    case .thumbnail: ThumbnailComparisons.all
    case .memory: MemoryComparisons.all
    case .disk: DiskComparisons.all
    case .loader: LoaderComparisons.all
    case .prefetch: PrefetchComparisons.all
    }
  }
}
