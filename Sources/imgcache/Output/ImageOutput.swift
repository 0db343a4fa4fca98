import ArgumentParser
import ImageCodecs
import ImageModel
import Typesetting

/// The argument of `-o` for the bytes of an image, checked before anything is fetched.
enum ImageOutput {
  static func check(_ output: String, isJSON: Bool) throws {
    guard output == "-" else { return }
    try require(!isJSON, "With --json stdout has the JSON; name a file for the image with -o")
    if Stream.isTerminal(1) {
      throw ValidationError(
        "stdout is a terminal, and an image is not text; name a file with -o, redirect stdout, "
          + "or draw the image with 'imgcache show'")
    }
  }

  /// Returns the format of a thumbnail: that of the extension, else the one asked for, which the
  /// extension follows in a template that ends with `.{ext}`.
  static func format(of output: String, asked: ImageFormat?) throws -> ImageFormat? {
    let (stem, suffix) = output.splitAtExtension
    guard suffix.count > 1, suffix != ".{ext}", !stem.isEmpty, !stem.hasSuffix("/") else {
      return asked
    }
    let name = suffix.dropFirst()
    guard let format = ImageCodecs.encodableFormat(named: name.lowercased()) else {
      let names = ["jpg"] + ImageCodecs.encodableFormats.map(\.rawValue)
      let known = names.sorted().map { "." + $0 }.joined(separator: ", ")
      throw ValidationError(
        "Unsupported extension \".\(name)\" in \"\(output)\"; thumbnails are written as \(known)")
    }
    try require(
      asked == nil || asked == format,
      "--format \(asked?.rawValue ?? "auto") contradicts the extension of \"\(output)\"; leave out one"
    )
    return format
  }
}

extension Canvas {
  func encoded(as format: ImageFormat, quality: Int) throws(ImageError) -> [UInt8] {
    var options = EncodingOptions()
    options.quality = quality
    let frame = AnimationFrame(pixels: try pixels(), delay: .zero)
    return try ImageCodecs.encode([frame], as: format, options: options).bytes
  }
}
