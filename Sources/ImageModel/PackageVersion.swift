/// The version of this package: of the library, and of the program `imgcache`.
public enum PackageVersion {
  /// Follows semantic versioning: options, JSON members and HTTP parameters belong to the public
  /// interface. While the major version is 0, a minor version may change it.
  public static let text = "0.3.0"
}
