import ArgumentParser
import ImageFeeds
import ImageModel

struct FilterOptions: ParsableArguments {
  @Option(
    help: .value("WxH", "Leave out images that are smaller in both directions."),
    transform: MinimumSize.parse)
  var minSize: MinimumSize?

  @Option(help: .value("bytes", "Leave out images of fewer bytes."))
  var minBytes: ByteQuantity?

  @Option(
    help: .value(
      "glob", "Leave out images whose URL or title matches.",
      "The pattern matches the whole text; * matches anything, such as '*/ads/*'. Repeat the option for more."
    )) var exclude: [String] = []

  @Option(
    help: .value(
      "glob", "Take only images whose URL or title matches.", "It is written as for --exclude."))
  var only: [String] = []

  func validate() throws {
    try require(
      !(exclude + only).contains(""),
      "the pattern of --exclude or --only is empty; write '*' for all")
  }

  var filter: ImageFilter {
    var filter = ImageFilter()
    if let minSize { filter.minimumSize = minSize.size }
    if let minBytes { filter.minimumByteCount = minBytes.count }
    (filter.included, filter.excluded) = (only, exclude)
    return filter
  }
}

struct MinimumSize: Hashable, Sendable {
  let size: PixelSize

  @Sendable static func parse(_ text: String) throws(ImageError) -> MinimumSize {
    guard let size = PixelSize(text[...], maximum: 65_535), size.width + size.height > 0 else {
      throw .misuse(
        "\"\(text)\" is not a size; write width and height up to 65535, such as 100x100")
    }
    return MinimumSize(size: size)
  }
}
