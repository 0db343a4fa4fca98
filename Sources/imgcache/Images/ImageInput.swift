import ImageModel
import ImagePipeline
import TextEncodings

/// An input of `imgcache thumb` or `imgcache get`.
struct ImageInput: Sendable {
  /// A URL, the path of a file, or `-`.
  let source: String
  /// Where the file is below the folder that was named, without slashes around it.
  var folder = ""

  /// The name without its extension, safe as the name of a file.
  var stem: String { Self.stem(of: source) }

  var isURL: Bool { ImageSource.isURL(source) }

  private static let maximumListByteCount = 256 << 20
  /// The bytes of a stem at most: a number and an extension follow, and 255 are a file name.
  private static let maximumStemByteCount = 236

  /// Reads the list of `--files-from`.
  static func list(_ path: String, isNullSeparated: Bool) throws(ImageError) -> [String] {
    let bytes = try InputFile.read(path, maximum: maximumListByteCount)
    guard isNullSeparated || !bytes.contains(0) else {
      throw ImageError.misuse(
        "\(path == "-" ? "stdin" : path) contains NUL; -0 reads a list that NUL separates")
    }
    let found = entries(of: bytes, separator: isNullSeparated ? 0 : UInt8(ascii: "\n"))
    if let url = found.first(where: { $0.isRawFileName && ImageSource.isURL($0) }) {
      throw ImageError.misuse("\(path == "-" ? "stdin" : path): the URL \"\(url)\" is not UTF-8")
    }
    return found
  }

  private static func entries(of bytes: [UInt8], separator: UInt8) -> [String] {
    bytes.split(separator: separator).compactMap { entry in
      // Lists from elsewhere end their lines with CR LF.
      let isLine = separator == UInt8(ascii: "\n") && entry.last == UInt8(ascii: "\r")
      let text = String(fileName: isLine ? entry.dropLast() : entry)
      // Stdin is read once, and only where it is an argument.
      return text.isEmpty ? nil : text == "-" ? "./-" : text
    }
  }

  /// The name of an input without its extension, safe as the name of a file.
  static func stem(of source: String) -> String {
    let name = ImageSource.isURL(source) ? name(ofURL: source) : name(ofFile: source)
    let (start, suffix) = name.splitAtExtension
    let isImage = !start.isEmpty && extensions.contains(suffix.dropFirst().lowercased())
    var stem = isImage ? String(start) : name
    while stem.utf8.count > maximumStemByteCount { stem.removeLast() }
    return stem.isEmpty ? "image" : stem
  }

  private static func name(ofFile path: String) -> String {
    guard path != "-" else { return "stdin" }
    let name = path.split(separator: "/").last.map(String.init) ?? ""
    return name == "." || name == ".." ? "" : name
  }

  /// The last segment of the path that is not empty, decoded; else the host.
  ///
  /// What could leave the folder, hide the file or control a terminal is replaced: the name is the
  /// origin's choice.
  private static func name(ofURL url: String) -> String {
    let rest = url.firstRange(of: "://").map { url[$0.upperBound...] } ?? url[...]
    let path = rest.prefix { $0 != "?" && $0 != "#" }
    let segment = path.split(separator: "/").last ?? ""
    let bytes = PercentEncoding.decoded(segment).bytes
    let name = String(validating: bytes, as: UTF8.self) ?? String(segment)
    let safe = name.escapingControls() == name ? name : String(segment)
    let visible = String(safe.drop { $0 == "." })
    return visible.replacing("/", with: "_").replacing("\\", with: "_")
      .replacing("\n", with: "_").replacing("\t", with: "_")
  }

  /// Extensions that are replaced by the thumbnail's; another one is a part of the name.
  static let extensions: Set = [
    "apng", "avif", "avifs", "bmp", "gif", "heic", "heics", "heif", "heifs", "hif", "ico", "jfif",
    "jpe", "jpeg", "jpg", "jxl", "png", "svg", "tif", "tiff", "webp",
  ]
}

extension EncodedImage {
  /// Reads the bytes of a response.
  init(_ response: DataResponse) throws {
    guard let format = response.format, let size = response.size else {
      throw ImageError(.corrupt, "no image was made")
    }
    self.init(
      bytes: try response.bytes(), format: format, size: size, frameCount: response.frameCount)
    warnings = response.warnings
  }
}

struct FileIdentity: Hashable {
  private let device: UInt64
  private let number: UInt64

  init(_ facts: stat) {
    device = UInt64(facts.st_dev)
    number = UInt64(facts.st_ino)
  }

  /// The identity of what a path leads to; `nil` if there is none.
  init?(_ path: String) {
    var facts = stat()
    guard stat(path.fileName, &facts) == 0 else { return nil }
    self.init(facts)
  }
}
