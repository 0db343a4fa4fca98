extension ZhimgAddress {
  /// A rule for ``ImagePipeline/Configuration/keyRule``, for those who choose it: pictures of `zhimg.com` are spelled
  /// by their object, whatever the host, the scheme and the `source` say. All else is spelled as it stands.
  ///
  /// Commands and exports that find entries by URL must then use the rule too.
  public static func keyRule(_ url: String) -> String {
    ZhimgAddress(url).map { "https://zhimg.com/\($0.canonicalKey)" } ?? url
  }
}
