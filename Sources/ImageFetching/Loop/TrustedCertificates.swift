public import ImageModel
import TextEncodings

/// The certificates that TLS connections trust: the system's or those of files in their place, and
/// further ones besides.
///
///     var certificates = TrustedCertificates(environment: ProcessInfo.processInfo.environment)
///     try certificates.add(pem)
public struct TrustedCertificates: Sendable, Hashable {
  /// A file (PEM) in place of the system's. One that cannot be read fails every TLS connection.
  /// Default: the system's.
  public var file: String?
  /// A directory of certificates, named by their hashes, in place of the system's. Default: the
  /// system's.
  public var directory: String?
  /// The certificates that are trusted besides, as PEM.
  public private(set) var additional: [UInt8] = []

  /// The system's.
  public init() {}

  /// The system's, or those that variables name, as for curl: the file `CURL_CA_BUNDLE`, or without
  /// it `SSL_CERT_FILE` and `SSL_CERT_DIR`.
  public init(environment: [String: String]) {
    func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
    file = value("CURL_CA_BUNDLE")
    if file == nil { (file, directory) = (value("SSL_CERT_FILE"), value("SSL_CERT_DIR")) }
  }

  /// Trusts further certificates.
  ///
  /// - Parameter pem: A text with certificates; all else in it is ignored, such as keys.
  /// - Throws: `ImageError` with code `invalidArgument` if it has none, or a malformed one.
  public mutating func add(_ pem: [UInt8]) throws(ImageError) {
    var count = 0
    var body: String?
    for line in String(decoding: pem, as: UTF8.self).split(whereSeparator: \.isNewline) {
      let line = String(line).trimmingWhiteSpace()
      if line == "-----BEGIN CERTIFICATE-----" {
        body = ""
      } else if line == "-----END CERTIFICATE-----", let text = body {
        guard let bytes = Base64.decoded(text.filter { $0 != "\n" }), Self.isWhole(bytes) else {
          throw ImageError(.invalidArgument, "certificate \(count + 1) is malformed")
        }
        additional += Array("-----BEGIN CERTIFICATE-----\n\(text)-----END CERTIFICATE-----\n".utf8)
        count += 1
        body = nil
      } else {
        body?.append(line + "\n")
      }
    }
    guard count > 0, body == nil else {
      throw ImageError(
        .invalidArgument, count == 0 ? "no certificate (PEM)" : "a certificate is cut")
    }
  }

  /// Whether bytes are one sequence (DER) and nothing else; what is in it is OpenSSL's business.
  private static func isWhole(_ bytes: [UInt8]) -> Bool {
    guard bytes.count > 4, bytes[0] == 0x30, bytes[1] > 0x80, bytes[1] < 0x84 else { return false }
    let lengthCount = Int(bytes[1] & 0x7F)
    let length = bytes[2..<2 + lengthCount].reduce(0) { $0 << 8 | Int($1) }
    return bytes.count == 2 + lengthCount + length
  }
}

extension TrustedCertificates: Summarized {
  package var summary: KeyValuePairs<String, Any?> {
    ["file": file, "directory": directory, "additional": additional.summary]
  }
}
