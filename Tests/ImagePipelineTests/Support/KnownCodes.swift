@testable import ImageModel
@testable import TestSupport

extension ImageError.Code {
  /// All codes that the sources define, and one that they do not. Codes of errors of another type are
  /// in files that do not name `ImageError`.
  static let known: [ImageError.Code] = {
    let sources = (try? SourceTree.all())?.files ?? []
    let values = sources.filter { $0.text.contains("ImageError") }.flatMap { file in
      file.text.matches(of: /static let \w+ = (?:Code|Self)\(rawValue: "([a-z_]+)"\)/).map {
        String($0.1)
      }
    }
    return (values + ["another_module's"]).map { ImageError.Code(rawValue: $0) }
  }()
}
