/// The version of this package: of the library, and of the program `imgcache`.
public enum PackageVersion {
  /// Follows semantic versioning; renaming an option, a JSON key or an HTTP parameter is a major
  /// change.
  public static let text = "0.3.0"
}
