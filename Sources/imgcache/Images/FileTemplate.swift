import ArgumentParser
import ImageModel

/// The names of files by what is known of an image: `thumbs/{dir}/{name}-{w}.{ext}`.
struct FileTemplate: Sendable {
  enum Field: String, CaseIterable {
    case dir, name
    case width = "w"
    case height = "h"
    case fileExtension = "ext"
    case hash
  }

  private enum Piece {
    case text(String)
    case field(Field)
  }

  let text: String
  private let pieces: [Piece]

  /// Whether a text has fields, whether known or not.
  static func isNamed(by text: String) -> Bool { text.contains("{") }

  /// - Throws: `ValidationError` for a field that is not known, or a brace without its other.
  init(_ text: String) throws {
    var pieces: [Piece] = []
    var rest = text[...]
    while let start = rest.firstIndex(of: "{") {
      guard let end = rest[start...].firstIndex(of: "}") else {
        throw ValidationError("\"\(rest[start...])\" in \"\(text)\" has no closing brace")
      }
      guard let field = Field(rawValue: String(rest[start..<end].dropFirst())) else {
        let known = Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: " ")
        throw ValidationError(
          "\"\(rest[start...end])\" in \"\(text)\" is not a field; known are \(known)")
      }
      pieces += [.text(String(rest[..<start])), .field(field)]
      rest = rest[rest.index(after: end)...]
    }
    try require(!text.hasSuffix("/"), "\"\(text)\" ends with a slash; a template names files")
    self.text = text
    self.pieces = pieces + [.text(String(rest))]
  }

  func uses(_ field: Field) -> Bool { text.contains("{\(field.rawValue)}") }

  /// The folder that all files are in, with a slash at its end; `./` for the current one.
  var root: String {
    guard case .text(let start)? = pieces.first, let slash = start.lastIndex(of: "/") else {
      return "./"
    }
    return String(start[...slash])
  }

  /// Returns the path of an image.
  ///
  /// - Parameter inputHash: The SHA-256 of its input, where the template has it.
  func path(_ input: ImageInput, _ image: EncodedImage, _ inputHash: BlobHash?) -> String {
    path(
      input,
      [
        .width: "\(image.size.width)", .height: "\(image.size.height)",
        .fileExtension: image.format.fileExtension, .hash: inputHash.map(Self.digits) ?? "",
      ])
  }

  private static func digits(_ hash: BlobHash) -> String { String(hash.description.prefix(8)) }

  /// Checks that no two inputs could have one name, whatever their sizes and formats.
  ///
  /// - Throws: `ImageError` with code `invalidArgument`.
  func check(_ inputs: [ImageInput], maximumByteCount: Int) throws(ImageError) {
    var groups = Dictionary(grouping: inputs) { path($0, [:]).lowercased() }
      .filter { $0.value.count > 1 }
    if uses(.hash) {
      let candidates = groups.values.joined().filter { !$0.isURL && $0.source != "-" }
      groups = Dictionary(grouping: candidates) { input in
        let bytes = try? InputFile.read(input.source, maximum: maximumByteCount)
        let hash = bytes.map { $0.withUnsafeBytes { SHA256.hash(of: $0) } }
        return path(input, hash.map { [.hash: Self.digits($0)] } ?? [:]).lowercased()
      }.filter { $0.value.count > 1 }
    }
    guard let first = groups.min(by: { $0.key < $1.key })?.value else { return }
    let others = groups.count > 1 ? ", as do inputs of \(groups.count - 1) more names" : ""
    let missing = [Field.dir, .hash].filter { !uses($0) }.map { "{\($0.rawValue)}" }
    throw .misuse(
      "\(first[0].source) and \(first[1].source) have one name, \(path(first[0], [:]))\(others); "
        + "nothing is written"
        + (missing.isEmpty ? "" : ". \(missing.joined(separator: " or ")) may tell them apart"))
  }

  /// Returns the path with the fields that are known; others stay as they are.
  func path(_ input: ImageInput, _ values: [Field: String]) -> String {
    var path = ""
    var isFolderEmpty = false
    for piece in pieces {
      switch piece {
      // The slash behind an empty folder would begin a path, or double a slash.
      case .text(let text):
        path += isFolderEmpty && text.hasPrefix("/") ? text.dropFirst() : text[...]
      case .field(.dir): path += input.folder
      case .field(.name): path += input.stem
      case .field(let field): path += values[field] ?? "{\(field.rawValue)}"
      }
      if case .field(.dir) = piece {
        isFolderEmpty = input.folder.isEmpty
      } else {
        isFolderEmpty = false
      }
    }
    return path
  }
}
