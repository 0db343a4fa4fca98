import DiskCaching
import ImageModel

/// The `index.html` of a folder of an export.
///
/// A page ends with a digest of itself, so that a file that was changed, or that no export wrote,
/// is distinguished from one that may be replaced. Such a file stays, and the page is called
/// `index-2.html`, `index-3.html`…
enum ExportPageFile {
  private static let generator = "<meta name=\"generator\" content=\"imgcache export\">\n"
  private static let policy = "<meta http-equiv=\"Content-Security-Policy\" content="
  private static let ending = "<!-- imgcache export "

  /// The beginning of the head, up to the value of the policy.
  ///
  /// - Parameter neighbors: Elements that link to other pages.
  static func mark(_ neighbors: String) -> String { generator + neighbors + policy }

  /// Whether the head of a page links to these pages, and no others.
  static func hasNeighbors(_ neighbors: String, _ path: String) -> Bool {
    String(decoding: ExportFile.beginning(of: path, 2048), as: UTF8.self)
      .contains(mark(neighbors))
  }

  /// The name of the page in a folder: the first that is free or is that of our page.
  static func name(in folder: String) -> String {
    var number = 1
    while true {
      let name = number == 1 ? "index.html" : "index-\(number).html"
      let path = "\(folder)/\(name)"
      if ExportFile.facts(path) == nil || isOurs(path) { return name }
      number += 1
    }
  }

  static func write(_ html: String, in folder: String) throws(ImageError) -> String {
    let digest = ExportFile.hash(of: Array(html.utf8))
    let file = try AtomicFile(in: folder, path: "\(folder)/index.html")
    try file.write(Array("\(html)\(ending)\(digest) -->\n".utf8).span.bytes)
    while true {
      let name = name(in: folder)
      let path = "\(folder)/\(name)"
      // One that is taken meanwhile is not replaced.
      if try file.publish(as: name, path: path, isReplacing: isOurs(path)) { return name }
    }
  }

  static func note(on name: String, in folder: String) -> String? {
    name == "index.html"
      ? nil : "\(folder)/index.html is not a page of imgcache and stays; the page is \(name)"
  }

  private static func isOurs(_ path: String) -> Bool {
    guard let bytes = ExportFile.read(path) else { return false }
    // The last line: the ending, 64 digits, ` -->` and a line break.
    let count = bytes.count - ending.utf8.count - 64 - 5
    guard count >= 0 else { return false }
    let digest = ExportFile.hash(of: Array(bytes[..<count]))
    return bytes[count...].elementsEqual("\(ending)\(digest) -->\n".utf8)
  }
}
