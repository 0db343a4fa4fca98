import ArgumentParser
import ImagePipeline

/// A size with a fit, as typed: `200x200`, `640x0:inside`. A side of 0 is free, both are not.
struct ThumbnailSize: ExpressibleByArgument, Hashable, Sendable {
  /// The box in pixels; a side of 0 is free.
  let size: PixelSize
  /// How the picture meets the box.
  let fit: FitMode

  /// The recipe with this size and fit, and defaults for the rest.
  var recipe: ThumbnailRecipe { ThumbnailRecipe(size: size, fit: fit) }

  init?(argument: String) {
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    let sides = parts[0].split(separator: "x", omittingEmptySubsequences: false)
    guard sides.count == 2, let width = Int(sides[0]), let height = Int(sides[1]),
      (0...65_535).contains(width), (0...65_535).contains(height), width + height > 0
    else { return nil }
    if parts.count == 2 {
      guard let fit = FitMode(rawValue: String(parts[1])) else { return nil }
      self.fit = fit
    } else {
      fit = .cover
    }
    size = PixelSize(width: width, height: height)
  }
}
