/// The version of the program and of the library it is built on.
enum Version {
  /// Follows semantic versioning; renaming an option, a JSON key or an HTTP parameter is a major
  /// change.
  static let text = "0.1.0"
}
