/// What belongs together, and is a target of benchmarks.
public enum Area: String, CaseIterable, Sendable {
  /// From bytes to pixels and back.
  case codec
  /// From pixels to fewer.
  case resize
  /// From bytes to a small picture's bytes.
  case thumbnail
  /// The memory tier.
  case memory
  /// The disk tier.
  case disk
  /// What the pipeline adds to the work itself.
  case loader
  /// Many pictures to disk, and again.
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
