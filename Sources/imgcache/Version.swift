/// The version of the program and of the library it is built on.
enum Version {
  /// Follows semantic versioning; a change of CONTRACT's names is a major one.
  static let text = "0.1.0"
}
