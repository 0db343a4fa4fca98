import ImageCodecs
import ImageModel

/// What the callers that wait for an original need of one decode of it.
///
/// A caller states its part when it joins the node, and takes it along when it leaves. The node
/// takes what there is at the gate of the decode; a caller that comes later gets another decode, of
/// the same bytes.
struct DecodePlan: Sendable {
  struct Part: Sendable {
    var outputs: Set<DecodeOutput> = []
    /// Encoded thumbnails; no pixels are made for those on disk.
    var variants: Set<ThumbnailRecipe> = []
    var isStored = false

    /// The pixels, also those for thumbnails that may be on disk.
    var allOutputs: Set<DecodeOutput> { outputs.union(variants.map(DecodeOutput.init(encoding:))) }
  }

  let parts: [Part]

  var isStored: Bool { parts.contains(where: \.isStored) }
  var variants: Set<ThumbnailRecipe> { parts.reduce(into: []) { $0.formUnion($1.variants) } }

  /// The pixels of each caller that an original does not have yet.
  func groups(missingFrom original: OriginalResult) -> [Set<DecodeOutput>] {
    parts.map { original.missing($0) }.filter { !$0.isEmpty }
  }
}
