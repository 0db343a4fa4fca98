import ArgumentParser
import ImageFetching
import ImageModel
import RedisClustering
import SharedCaching
import TextEncodings

struct TierOptions: ParsableArguments {
  @Option(
    help: .value(
      "url", "The Redis Cluster that several servers share.",
      """
      For example redis://10.0.0.1:6379,10.0.0.2:6379. After '?': deadline=100ms, max=8MiB (longer bodies are not kept), namespace=NAME, user=NAME, password-file=FILE, \
      tls, ca-file=FILE (trusted certificates), tls-name=NAME (the name in the servers' certificates).
      """))
  var tier: String?

  @Option(
    help: .value(
      "url", "The bucket for large objects of --tier.",
      """
      It is written s3://BUCKET, is described by --s3 and keeps originals and large thumbnails. No image is served from \
      it by its own URL. Give it a lifecycle rule: nothing else removes what is old.
      """))
  var tier2: String?

  /// No message contains a password.
  func configuration(
    _ buckets: [S3Bucket], _ certificates: TrustedCertificates
  ) throws(ImageError) -> SharedTier.Configuration? {
    guard let tier else {
      guard tier2 == nil else { throw ImageError.misuse("--tier2 needs --tier") }
      return nil
    }
    var configuration = try TierURL(tier).configuration { path throws(ImageError) in
      try InputFile.read(path, maximum: 4096, namedBy: "--tier")
    }
    if let name = try bucketName() {
      guard let bucket = buckets.first(where: { $0.name == name }) else {
        throw ImageError.misuse("--tier2 names the bucket \"\(name)\"; describe it by --s3")
      }
      configuration.objects = try TierBucket(
        bucket, certificates, maximumByteCount: configuration.maximumObjectByteCount)
    }
    return configuration
  }

  func bucketName() throws(ImageError) -> String? {
    guard let tier2 else { return nil }
    let name = tier2.hasPrefix("s3://") ? tier2.dropFirst(5) : ""
    let bucket = name.hasSuffix("/") ? name.dropLast() : name
    guard !bucket.isEmpty, !bucket.contains("/") else {
      throw ImageError.misuse("--tier2 is s3://BUCKET, not \"\(tier2)\"")
    }
    return String(bucket)
  }
}

extension TierOptions {
  /// The tier's servers are connected to when they are needed. `report` gets a line when the tier
  /// fails, and when it can be used again.
  func open(
    _ buckets: [S3Bucket], _ certificates: TrustedCertificates, report: Report? = nil
  ) throws(ImageError) -> SharedTier? {
    guard var configuration = try configuration(buckets, certificates) else { return nil }
    if let report { configuration.log = { report.note($0) } }
    do throws(RedisError) {
      return try SharedTier(configuration)
    } catch {
      throw ImageError.misuse(error.description)
    }
  }
}

/// `redis://HOST:PORT[,HOST:PORT…][?NAME=VALUE&…]`, read.
struct TierURL {
  private let servers: [RedisEndpoint]
  private var parameters: [String: String] = [:]

  private static let names = [
    "deadline", "max", "namespace", "user", "password-file", "tls", "ca-file", "tls-name",
  ]

  init(_ text: String) throws(ImageError) {
    let schemes = ["redis://", "rediss://"]
    guard let scheme = schemes.first(where: { text.lowercased().hasPrefix($0) }) else {
      throw Self.malformed(
        "it must begin with redis:// or rediss://, for example redis://10.0.0.1:6379")
    }
    let parts = text.dropFirst(scheme.count).split(
      separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    guard !parts[0].contains("@") else {
      throw Self.malformed(
        "a password on the command line can be read by all users of the machine; write ?user=NAME&password-file=FILE"
      )
    }
    servers = try parts[0].split(separator: ",", omittingEmptySubsequences: false).map {
      server throws(ImageError) in
      if let endpoint = RedisEndpoint(server.hasSuffix("/") ? server.dropLast() : server) {
        return endpoint
      }
      throw Self.malformed("\"\(server)\" is not HOST:PORT")
    }
    if scheme == "rediss://" { parameters["tls"] = "" }
    guard parts.count == 2 else { return }
    for pair in parts[1].split(separator: "&") {
      let words = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(words[0])
      guard Self.names.contains(name) else {
        throw Self.malformed("\"\(name)\" is not one of \(Self.names.joined(separator: ", "))")
      }
      let decoded = PercentEncoding.decoded(words.count == 2 ? words[1] : "")
      guard decoded.isWellFormed, let value = String(validating: decoded.bytes, as: UTF8.self)
      else { throw Self.malformed("the value of \"\(name)\" is not percent-encoded UTF-8") }
      guard (name == "tls") == (words.count == 1), name == "tls" || !value.isEmpty else {
        throw Self.malformed("\"\(name)\" has no value")
      }
      guard parameters.updateValue(value, forKey: name) == nil || name == "tls" else {
        throw Self.malformed("\"\(name)\" is repeated")
      }
    }
  }

  func configuration(
    read: (String) throws(ImageError) -> [UInt8]
  ) throws(ImageError) -> SharedTier.Configuration {
    var client = RedisConfiguration(servers: servers)
    if let text = parameters["deadline"] {
      guard let time = TimeQuantity(argument: text)?.duration, time >= .milliseconds(1),
        time <= .seconds(60)
      else { throw Self.malformed("a deadline is 1ms to 60s, not \"\(text)\"") }
      client.deadline = time
      client.connectTimeout = time / 2
    }
    client.user = parameters["user"]
    if let path = parameters["password-file"] {
      let line = try read(path).prefix { $0 != 0x0A && $0 != 0x0D }
      guard !line.isEmpty, let password = String(validating: line, as: UTF8.self) else {
        throw ImageError.misuse("\(path) has no password in its first line")
      }
      client.password = password
    } else if client.user != nil {
      throw Self.malformed("a user needs password-file=FILE")
    }
    if parameters["tls"] != nil {
      client.tls = RedisTLSRules()
      client.tls?.trustedCertificates = parameters["ca-file"]
      client.tls?.serverName = parameters["tls-name"]
    } else if parameters["ca-file"] != nil || parameters["tls-name"] != nil {
      throw Self.malformed("ca-file and tls-name need tls")
    }
    var configuration = SharedTier.Configuration(servers: client)
    if let text = parameters["max"] {
      guard let count = ByteQuantity(argument: text)?.count, (1...64 << 20).contains(count) else {
        throw Self.malformed("max is 1 byte to 64 MiB, not \"\(text)\"")
      }
      configuration.maximumBodyByteCount = count
      configuration.servers.maximumReplyByteCount = max(
        configuration.servers.maximumReplyByteCount, count + (1 << 20))
    }
    configuration.namespace = parameters["namespace"] ?? ""
    return configuration
  }

  private static func malformed(_ reason: String) -> ImageError {
    ImageError.misuse("Malformed URL of --tier: \(reason)")
  }
}

struct TierBucket: TierObjectStore {
  private let reads: S3Client
  /// Apart from reads, which must not wait for a store that takes long to write.
  private let writes: S3Client

  init(
    _ bucket: S3Bucket, _ certificates: TrustedCertificates, maximumByteCount: Int
  ) throws(ImageError) {
    var configuration = S3Client.Configuration()
    configuration.certificates = certificates
    // The header before a body is short.
    configuration.maximumByteCount = maximumByteCount + (1 << 20)
    // A load waits for it, and its origin is there.
    configuration.retryPolicy.maximumRetryCount = 1
    reads = try S3Client(bucket, configuration)
    writes = try S3Client(bucket, configuration)
  }

  func object(_ name: String, until deadline: ContinuousClock.Instant) async throws -> [UInt8]? {
    do {
      return try await reads.get(name, deadline: deadline).bytes
    } catch let error as ImageError
      where (error.cause as? S3Failure)?.code == "NoSuchKey"
      || error.status == 404 && error.cause == nil
    {
      return nil
    }
  }

  func store(
    _ bytes: [UInt8], as name: String, until deadline: ContinuousClock.Instant
  ) async throws {
    try await writes.put(name, bytes, deadline: deadline)
  }

  func remove(_ name: String, until deadline: ContinuousClock.Instant) async throws {
    try await writes.delete(name, deadline: deadline)
  }
}
