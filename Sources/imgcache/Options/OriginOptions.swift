import ArgumentParser
import ImageFetching
import ImageModel

struct OriginOptions: ParsableArguments {
  @Option(
    help: .value(
      "host: name: value", "Send a header to this host and to no other.",
      """
      For example 'example.org: Authorization: Bearer …'; repeat the option for more. @FILE as the value reads it from a file, which keeps it out of the list of processes. HOST:PORT limits it to a port. \
      After a redirect elsewhere, it is no longer sent.
      """))
  var originHeader: [String] = []

  /// No message contains a value.
  func headers() throws(ImageError) -> OriginHeaders {
    try OriginHeaders(originHeader) { path throws(ImageError) in
      try InputFile.read(path, maximum: 64 << 10, namedBy: "--origin-header")
    }
  }
}

struct TrustOptions: ParsableArguments {
  @Option(
    help: .value(
      "file", "Trust the certificates (PEM) of this file besides the system's.",
      """
      The variable CURL_CA_BUNDLE, or SSL_CERT_FILE and SSL_CERT_DIR, replaces the system's, as for curl.
      """), completion: .file())
  var caFile: String?

  func certificates() throws(ImageError) -> TrustedCertificates {
    var certificates = TrustedCertificates(environment: Environment.variables)
    guard let caFile else { return certificates }
    let pem = try InputFile.read(caFile, maximum: 16 << 20, namedBy: "--ca-file")
    try ImageError.misuse(about: "--ca-file: \(caFile)") { () throws(ImageError) in
      try certificates.add(pem)
    }
    return certificates
  }
}

struct BucketOptions: ParsableArguments {
  @Option(
    help: .value(
      "bucket=settings", "Fetch s3://BUCKET/KEY from this bucket.",
      """
      For example photos=endpoint=https://s3.example.org; repeat the option for more. endpoint=URL (default: AWS), region=R (default: us-east-1), credentials=FILE as the AWS command line writes it (default: \
      the AWS_ variables, else the role of the web identity, container or instance), style=path|host (default: path with an endpoint, host at AWS). \
      Keys are percent-encoded in the URL. An endpoint may be at a private address.
      """))
  var s3: [String] = []

  /// No message contains a credential.
  func buckets() throws(ImageError) -> [S3Bucket] {
    var buckets: [S3Bucket] = []
    for text in s3 {
      let bucket = try S3Bucket(text, environment: Environment.variables) {
        path throws(ImageError) in try InputFile.read(path, maximum: 64 << 10, namedBy: "--s3")
      }
      guard !buckets.contains(where: { $0.name == bucket.name }) else {
        throw ImageError.misuse("S3 bucket \"\(bucket.name)\" is named twice")
      }
      buckets.append(bucket)
    }
    return buckets
  }
}

struct PrivateEntryOptions: ParsableArguments {
  @Flag(
    help: .text(
      "Serve private entries of the cache, too.",
      "Those were fetched with other --origin-header values or marked private or no-store. Without the option, such an entry is not used."
    ))
  var allowPrivateEntries = false
}
