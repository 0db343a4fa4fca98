import HTTPListening
import HTTPTypes

/// The formats that a client accepts, reduced to a few cases before they become part of a key:
/// thousands of `Accept` fields must not make thousands of thumbnails.
enum ContentNegotiation: UInt8, Sendable, Hashable, CaseIterable {
  /// JPEG and PNG, or no format that is made here: the format of the original, or the one that
  /// fits the image best.
  case any
  /// WebP, which the client names; wildcards do not count, as clients that cannot show it send
  /// them.
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
    if weights["image/webp"] == true {
      self = .webp
      return
    }
    switch (accepts("jpeg"), accepts("png"), accepts("gif")) {
    case (true, false, _): self = .jpeg
    case (false, true, _): self = .png
    case (false, false, true): self = .gif
    default: self = .any
    }
  }
}
