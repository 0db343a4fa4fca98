import CTypesetting
import ImageModel

/// The libraries that set and draw text: GObject, Pango, Cairo and PangoCairo.
///
/// They are loaded when the first canvas is made, not when the program starts, and stay loaded.
enum TypesettingLibraries {
  /// Loads the libraries, by the names of their stable ABI, or others in a test of what happens
  /// without them.
  ///
  /// - Throws: ``ImageError`` with code `library_missing` that names the packages to install.
  static func load(_ names: [String]? = nil) throws(ImageError) {
    precondition(names.map { $0.count == Int(IMGC_CANVAS_LIBRARIES) } ?? true)
    var message = [CChar](repeating: 0, count: Int(IMGC_CANVAS_MESSAGE))
    let strings = names?.map { Array($0.utf8CString) } ?? []
    let isLoaded = withPointers(to: strings) { list in
      imgc_canvas_load(names == nil ? nil : list, &message) == 1
    }
    guard !isLoaded else { return }
    let reason = String(decoding: message.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    throw ImageError(
      .libraryMissing,
      "\(reason), and text is drawn with Pango and Cairo; install libpangocairo-1.0-0 (Debian, Ubuntu) or pango (Homebrew)"
    )
  }

  private static func withPointers<Result>(
    to strings: [[CChar]], _ body: ([UnsafePointer<CChar>?]) -> Result
  ) -> Result {
    func add(_ index: Int, _ list: [UnsafePointer<CChar>?]) -> Result {
      guard index < strings.count else { return body(list) }
      return strings[index].withUnsafeBufferPointer { add(index + 1, list + [$0.baseAddress]) }
    }
    return add(0, [])
  }
}
