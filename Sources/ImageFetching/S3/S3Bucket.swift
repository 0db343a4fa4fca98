public import ImageModel

/// A bucket of Amazon S3 or of a store with the same protocol, and its endpoint.
///
///     let bucket = try S3Bucket("photos=endpoint=https://s3.example.org,credentials=/etc/keys")
///
/// The endpoint was named by the operator, so it may be at any address, private ones included, and
/// be reached over http; there the requests are signed and the bodies are in the clear.
public struct S3Bucket: Sendable, Hashable {
  /// Where a URL names the bucket.
  public enum Style: String, Sendable, Hashable, CaseIterable {
    /// In the path: `https://s3.example.org/photos/a.jpg`.
    case path
    /// In the host: `https://photos.s3.example.org/a.jpg`.
    case host
  }

  /// The bucket's name.
  public let name: String
  /// Scheme, host and port of the store.
  public let endpoint: String
  /// The region that signatures name.
  public let region: String
  /// Where URLs name the bucket.
  public let style: Style
  let signer: S3Signer
  private let base: WebURL

  /// Describes a bucket.
  ///
  /// - Parameters:
  ///   - name: 1 to 255 letters, digits, `.`, `-` and `_`.
  ///   - endpoint: An http or https URL without a path. Default: that of AWS for the region.
  ///   - region: Default: `us-east-1`.
  ///   - style: Default: in the path where an endpoint is given or the name cannot be in a host
  ///     of AWS (upper case, `_`, or a `.`, for which there is no certificate), else in the host.
  ///   - credentials: The credentials that sign requests.
  /// - Throws: `ImageError` with code `invalidArgument`.
  public init(
    _ name: String, endpoint: String? = nil, region: String = "us-east-1", style: Style? = nil,
    credentials: S3Credentials
  ) throws(ImageError) {
    try self.init(
      name, endpoint: endpoint, region: region, style: style, signer: .keys(credentials))
  }

  init(
    _ name: String, endpoint: String?, region: String, style: Style?, signer: S3Signer
  ) throws(ImageError) {
    func refusal(_ reason: String) -> ImageError {
      ImageError(.invalidArgument, "S3 bucket \"\(name)\": \(reason)")
    }
    guard S3Address.isBucket(name) else { throw refusal("not the name of a bucket") }
    guard (1...32).contains(region.utf8.count),
      region.utf8.allSatisfy({ HTTPText.isAlphanumeric($0, or: "-") })
    else { throw refusal("\"\(region)\" is not a region; write one like us-east-1") }
    let domain = region.hasPrefix("cn-") ? "amazonaws.com.cn" : "amazonaws.com"
    let text = endpoint ?? "https://s3.\(region).\(domain)"
    guard !text.contains("@") else {
      throw refusal("the endpoint has user information; give the keys by a credentials file")
    }
    guard let url = WebURL(text), url.target == "/", !text.contains("#") else {
      throw refusal("\"\(text)\" is not an endpoint; use an http or https URL without a path")
    }
    let style = style ?? (endpoint == nil && Self.fitsHost(name, dots: false) ? .host : .path)
    guard style == .path || Self.fitsHost(name, dots: true) else {
      throw refusal("the name cannot be in a host name; use style=path")
    }
    guard style == .path || url.host.contains(where: \.isLetter) && !url.host.hasPrefix("[") else {
      throw refusal("\(url.host) is an address; use style=path")
    }
    self.name = name
    self.region = region
    self.style = style
    self.signer = signer
    self.endpoint = url.origin
    base = url
  }

  /// Reads `BUCKET` or `BUCKET=KEY=VALUE,KEY=VALUE…` with the keys `endpoint`, `region`,
  /// `credentials` (a file) and `style` (`path` or `host`).
  ///
  /// Without `credentials` they come from the first of these that the variables name, in the order of
  /// the AWS SDKs: `AWS_ACCESS_KEY_ID` with `AWS_SECRET_ACCESS_KEY`; `AWS_WEB_IDENTITY_TOKEN_FILE`
  /// with `AWS_ROLE_ARN`; `AWS_SHARED_CREDENTIALS_FILE`; `AWS_CONTAINER_CREDENTIALS_RELATIVE_URI` or
  /// `…_FULL_URI`; else the metadata of the EC2 instance (IMDSv2), unless
  /// `AWS_EC2_METADATA_DISABLED` is `true`. Those of a role, all but the first and third, are obtained
  /// with the first request to the bucket and renewed five minutes before they end.
  ///
  /// `environment` has the variables of the process, `readFile` reads a credentials file.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for a malformed text, an unknown or
  ///   repeated key, or credentials that are missing or cannot be read.
  public init(
    _ text: String, environment: [String: String],
    readFile: (_ path: String) throws(ImageError) -> [UInt8]
  ) throws(ImageError) {
    let name = text.prefix { $0 != "=" }
    func refusal(_ reason: String) -> ImageError {
      ImageError(.invalidArgument, "S3 bucket \"\(name)\": \(reason)")
    }
    guard S3Address.isBucket(String(name)) else {
      throw ImageError(
        .invalidArgument,
        "Malformed S3 bucket \"\(text)\"; write BUCKET=endpoint=URL,region=R,credentials=FILE")
    }
    var values: [String: String] = [:]
    let rest = text[name.endIndex...]
    for part in rest.dropFirst().split(separator: ",", omittingEmptySubsequences: false)
    where !rest.isEmpty {
      let key = String(part.prefix { $0 != "=" })
      let value = String(part.dropFirst(key.count + 1))
      guard Self.keys.contains(key) else {
        throw refusal("unknown key \"\(key)\"; there are \(Self.keys.joined(separator: ", "))")
      }
      guard !value.isEmpty else { throw refusal("\"\(key)\" has no value") }
      guard values.updateValue(value, forKey: key) == nil else {
        throw refusal("repeated key \"\(key)\"")
      }
    }
    var style: Style?
    if let value = values["style"] {
      guard let known = Style(rawValue: value) else {
        throw refusal("unknown style \"\(value)\"; there are path and host")
      }
      style = known
    }
    let signer: S3Signer
    do throws(ImageError) {
      if let path = values["credentials"] {
        let profile = environment["AWS_PROFILE"].flatMap { $0.isEmpty ? nil : $0 }
        signer = .keys(
          try S3Credentials(file: try readFile(path), path: path, profile: profile ?? "default"))
      } else {
        signer = try S3Signer(
          environment: environment, region: values["region"] ?? Self.defaultRegion,
          readFile: readFile)
      }
    } catch {
      throw ImageError(
        .invalidArgument, "S3 bucket \"\(name)\": \(error.message)", cause: error.cause)
    }
    try self.init(
      String(name), endpoint: values["endpoint"], region: values["region"] ?? Self.defaultRegion,
      style: style, signer: signer)
  }

  /// The URL of an object, or of the bucket for the path `/`.
  func url(of path: String) -> WebURL {
    switch style {
    case .path: base.replacingTarget(by: "/\(name)\(path)")
    case .host: base.prefixingHost(with: name).replacingTarget(by: path)
    }
  }

  private static let defaultRegion = "us-east-1"
  private static let keys = ["endpoint", "region", "credentials", "style"]

  /// Whether a name is one or more labels of a host name in lower case.
  private static func fitsHost(_ name: String, dots: Bool) -> Bool {
    let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return (dots || labels.count == 1) && name == name.lowercased()
      && labels.allSatisfy { label in
        (1...63).contains(label.count) && label.first != UInt8(ascii: "-")
          && label.last != UInt8(ascii: "-")
          && label.allSatisfy { HTTPText.isAlphanumeric($0, or: "-") }
      }
  }
}

extension S3Bucket: CustomStringConvertible {
  /// Name, endpoint, region and style; nothing of the credentials.
  public var description: String { "\(name) at \(endpoint) (\(region), \(style))" }
}
