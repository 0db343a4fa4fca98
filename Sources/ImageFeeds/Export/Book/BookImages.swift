import DiskCaching
import ImageCodecs
import ImageModel
import TextEncodings

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The image files of a comic book or an EPUB, each once, in formats that all readers show.
///
/// JPEG, PNG and GIF stay byte for byte. What is in another format becomes a JPEG, or a PNG if it
/// is not opaque; of an animation that is the first frame. Source of the formats: EPUB 3.2, 2.2,
/// "Core Media Types".
struct BookImages {
  struct Image {
    var file: String
    var format: ImageFormat
    var byteCount: Int
    var size: PixelSize?
  }

  private let folder: String
  private(set) var all: [Image] = []
  /// The position of each image by the digest of the original; -1 for one that cannot be shown.
  private var positions: [String: Int] = [:]

  init(in folder: String) throws(ImageError) {
    self.folder = folder
    try ExportFile.makeFolder(folder)
  }

  func has(_ image: ExportIndex.Image) -> Bool { positions[image.sha256 ?? ""] != nil }

  /// Moves an image from the folder of its day, unless it is there already; `nil` for one without a
  /// file, or that cannot be decoded.
  ///
  /// - Parameter stem: The name without its extension. Default: the digest.
  mutating func add(
    _ image: ExportIndex.Image, from day: String, as stem: String? = nil
  ) throws(ImageError) -> Int? {
    guard let file = image.file, let digest = image.sha256 else { return nil }
    var size: PixelSize?
    if let width = image.width, let height = image.height, image.placeholder != true {
      size = PixelSize(width: width, height: height)
    }
    return try add("\(day)/\(file)", digest: digest, as: stem, size)
  }

  /// Adds the image of a `data:` URL as ``HTMLSanitizer`` writes it.
  mutating func add(dataURL: String) throws(ImageError) -> Int? {
    guard let comma = dataURL.firstIndex(of: ","),
      let bytes = Base64.decoded(String(dataURL[comma...].dropFirst()))
    else { return nil }
    let path = "\(folder)/embedded"
    try AtomicFile.write(bytes.span.bytes, to: path, path: path)
    return try add(path, digest: ExportFile.hash(of: bytes), as: nil, nil)
  }

  private mutating func add(
    _ path: String, digest: String, as stem: String?, _ size: PixelSize?
  ) throws(ImageError) -> Int? {
    if let known = positions[digest] { return known < 0 ? nil : known }
    // Many conversions take minutes. A book of some of its days must not replace a whole one.
    guard !Task.isCancelled else {
      throw ImageError(.init(rawValue: "interrupted"), "interrupted before all images were in it")
    }
    positions[digest] = -1
    let stem = stem ?? String(digest.prefix(32))
    guard let image = try place(path, as: "\(folder)/\(stem)", size) else { return nil }
    positions[digest] = all.count
    all.append(image)
    return all.count - 1
  }

  private func place(
    _ path: String, as stem: String, _ size: PixelSize?
  ) throws(ImageError) -> Image? {
    let format = ImageFormat(sniffing: ExportFile.beginning(of: path, 64).span.bytes)
    let name = stem.split(separator: "/").last ?? ""
    if let format, [.jpeg, .png, .gif].contains(format), let facts = ExportFile.facts(path) {
      let file = "\(stem).\(format.fileExtension)"
      guard rename(path, file) == 0 else { throw ExportFile.failure(file) }
      let size =
        size ?? ExportFile.read(file).flatMap { try? ImageCodecs.info(of: $0.span.bytes).size }
      return Image(
        file: "\(name).\(format.fileExtension)", format: format, byteCount: Int(facts.st_size),
        size: size)
    }
    let limits = ImageLimits()
    var recipe = ThumbnailRecipe(
      size: PixelSize(width: limits.maximumSide, height: limits.maximumSide), fit: .inside)
    recipe.quality = 90
    recipe.frame = 0
    guard let bytes = ExportFile.read(path),
      let made = try? ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe, limits: limits)
    else { return nil }
    let file = "\(stem).\(made.format.fileExtension)"
    try AtomicFile.write(made.bytes.span.bytes, to: file, path: file)
    unlink(path)
    return Image(
      file: "\(name).\(made.format.fileExtension)", format: made.format,
      byteCount: made.bytes.count, size: made.size)
  }
}
