import ImageModel

/// Where the credentials of a role come from, by the variables of the process: a token of a web
/// identity, the container's endpoint or the metadata of the instance.
///
/// Source: AWS SDKs and Tools Reference Guide, "Standardized credential providers".
enum RoleSource: Sendable, Hashable {
  case webIdentity(tokenFile: String, role: String, session: String, service: WebURL)
  case container(WebURL, token: String?, tokenFile: String?)
  case instance(WebURL)

  /// Reads the variables, regardless of those with keys; `nil` where they name no source and disable
  /// the metadata of the instance. `region` is that of the bucket.
  ///
  /// - Throws: `ImageError` with code `invalidArgument`, naming the variable; no message contains a
  ///   token.
  init?(environment: [String: String], region: String) throws(ImageError) {
    func value(_ name: String) -> String? {
      environment["AWS_" + name].flatMap { $0.isEmpty ? nil : $0 }
    }
    func endpoint(_ text: String, _ name: String) throws(ImageError) -> WebURL {
      guard let url = WebURL(text), url.credentials == nil, url.target == "/" else {
        throw Self.refusal("AWS_\(name) is not an http or https URL without a path")
      }
      return url
    }
    if let file = value("WEB_IDENTITY_TOKEN_FILE") {
      guard let role = value("ROLE_ARN") else {
        throw Self.refusal("AWS_WEB_IDENTITY_TOKEN_FILE is set and AWS_ROLE_ARN is not")
      }
      let region = value("REGION") ?? value("DEFAULT_REGION") ?? region
      let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
      self = .webIdentity(
        tokenFile: file, role: role, session: value("ROLE_SESSION_NAME") ?? "imgcache",
        service: try endpoint(
          value("ENDPOINT_URL_STS") ?? "https://sts.\(region).\(domain)", "ENDPOINT_URL_STS"))
    } else if let path = value("CONTAINER_CREDENTIALS_RELATIVE_URI") {
      guard path.hasPrefix("/"), let url = WebURL("http://169.254.170.2\(path)") else {
        throw Self.refusal("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is not a path")
      }
      self = .container(url, token: nil, tokenFile: nil)
    } else if let text = value("CONTAINER_CREDENTIALS_FULL_URI") {
      guard let url = WebURL(text), url.credentials == nil, Self.mayHaveCredentials(url) else {
        throw Self.refusal(
          """
          AWS_CONTAINER_CREDENTIALS_FULL_URI is not an https URL, nor one of loopback, 169.254.170.2, \
          169.254.170.23 or [fd00:ec2::23]
          """)
      }
      self = .container(
        url, token: value("CONTAINER_AUTHORIZATION_TOKEN"),
        tokenFile: value("CONTAINER_AUTHORIZATION_TOKEN_FILE"))
    } else {
      if value("EC2_METADATA_DISABLED")?.lowercased() == "true" { return nil }
      let isIPv6 = value("EC2_METADATA_SERVICE_ENDPOINT_MODE")?.lowercased() == "ipv6"
      let standard = isIPv6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254"
      self = .instance(
        try endpoint(
          value("EC2_METADATA_SERVICE_ENDPOINT") ?? standard, "EC2_METADATA_SERVICE_ENDPOINT"))
    }
  }

  /// What is not set where the metadata of the instance is asked.
  static let others =
    "no credentials file is named, and none of AWS_ACCESS_KEY_ID, AWS_WEB_IDENTITY_TOKEN_FILE and "
    + "AWS_CONTAINER_CREDENTIALS_FULL_URI"

  private static func mayHaveCredentials(_ url: WebURL) -> Bool {
    url.scheme == "https"
      || ["localhost", "[::1]", "169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"]
        .contains(url.host)
      || url.host.hasPrefix("127.") && HostGuard.isPublic(literal: url.host) == false
  }

  private static func refusal(_ reason: String) -> ImageError {
    ImageError(.invalidArgument, reason)
  }
}

extension RoleSource: Summarized {
  /// The kind and the address, for messages.
  var description: String {
    switch self {
    case .webIdentity(_, _, _, let service): "AssumeRoleWithWebIdentity at \(service.origin)"
    case .container(let url, _, _): "the container's endpoint at \(url.origin)"
    case .instance(let url): "the instance metadata at \(url.origin)"
    }
  }

  var summary: KeyValuePairs<String, Any?> { ["description": description] }
}
