@testable import ImageModel

extension ImageError.Code {
  /// All codes that the sources define, and one that they do not.
  static let known: [ImageError.Code] = {
    let sources = (try? SourceTree(under: "Sources"))?.files ?? []
    let values = sources.flatMap { file in
      file.text.matches(of: /static let \w+ = (?:Code|Self)\(rawValue: "([a-z_]+)"\)/).map {
        String($0.1)
      }
    }
    return (values + ["another_module's"]).map { ImageError.Code(rawValue: $0) }
  }()
}
