import HTTPListening
import HTTPTypes
import ImageCodecs
import ImageModel

/// The formats that a client accepts, reduced to a few cases before they become part of a key:
/// thousands of `Accept` fields must not make thousands of thumbnails.
enum ContentNegotiation: UInt8, Sendable, Hashable, CaseIterable {
  /// JPEG and PNG, or no format that is made here: the format of the original, or the one that
  /// fits the image best.
  case any
  /// AVIF and WebP, which the client names; wildcards do not count, as clients that cannot show them
  /// send them.
  case avifAndWebP
  /// AVIF and not WebP, by name.
  case avif
  /// WebP and not AVIF, by name.
  case webp
  /// JPEG and not PNG.
  case jpeg
  /// PNG and not JPEG.
  case png
  /// GIF, and neither JPEG nor PNG.
  case gif

  /// Parses `Accept` (RFC 9110 §12.5.1), none for everything: media ranges of weight 0 are refused,
  /// other weights are ignored.
  init(accept lines: [String]) {
    guard !lines.isEmpty else {
      self = .any
      return
    }
    // The most specific range that names a type decides (§12.5.1).
    let weights = HTTPFields.weights(ofAccept: lines).mapValues { $0 > 0 }
    func accepts(_ type: String) -> Bool {
      weights["image/\(type)"] ?? weights["image/*"] ?? weights["*/*"] ?? false
    }
    switch (weights["image/avif"] == true, weights["image/webp"] == true) {
    case (true, true): self = .avifAndWebP
    case (true, false): self = .avif
    case (false, true): self = .webp
    case (false, false): self = Self.plain(accepts)
    }
  }

  private static func plain(_ accepts: (String) -> Bool) -> ContentNegotiation {
    switch (accepts("jpeg"), accepts("png"), accepts("gif")) {
    case (true, false, _): .jpeg
    case (false, true, _): .png
    case (false, false, true): .gif
    default: .any
    }
  }

  /// The formats that are named, of those that are negotiated by name.
  private var named: [ImageFormat] {
    switch self {
    case .avifAndWebP: [.avif, .webp]
    case .avif: [.avif]
    case .webp: [.webp]
    case .any, .jpeg, .png, .gif: []
    }
  }

  /// Sets the format of a thumbnail whose request names none.
  ///
  /// - Parameter preferred: The formats that may be chosen for a client that names them, the best one
  ///   first.
  func choose(among preferred: [ImageFormat], for recipe: inout ThumbnailRecipe) {
    let preferred = preferred.filter(named.contains)
    if let format = preferred.first {
      recipe.format = format
      guard format == .avif else { return }
      // Drawings have twice the bytes as AVIF, and what moves would stop.
      recipe.formatsBySource =
        preferred.contains(.webp)
        ? [.png: .webp, .gif: .webp, .webp: .webp] : [.gif: .gif]
      if named.contains(.webp) { recipe.formatsBySource[.webp] = .webp }
      return
    }
    switch self {
    case .jpeg: recipe.format = .jpeg
    case .png: recipe.format = .png
    case .gif: recipe.format = .gif
    case .any, .avifAndWebP, .avif, .webp: recipe.formatsBySource = [.png: .png, .gif: .gif]
    }
  }
}
