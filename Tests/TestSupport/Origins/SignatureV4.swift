import Foundation

@testable import ImageModel
@testable import SampleFeed

/// Computes AWS Signature Version 4 for a request as it came over the wire, as a store does.
/// Source: Amazon S3, "Authenticating Requests: Using the Authorization Header".
enum SignatureV4 {
  /// The signature of a request.
  ///
  /// - Parameters:
  ///   - target: The path as it came.
  ///   - headers: Names in lower case.
  ///   - signed: The names of the headers that are signed, in order.
  ///   - scope: `DATE/REGION/s3/aws4_request`.
  static func signature(
    _ method: String, _ target: String, _ headers: [(name: String, value: String)],
    signed: [String], scope: String, secretKey: String
  ) -> String {
    func value(_ name: String) -> String {
      let values = headers.filter { $0.name == name }.map { header in
        header.value.split(separator: " ").joined(separator: " ")
      }
      return values.joined(separator: ",")
    }
    let key = target.removingPercentEncoding ?? ""
    var allowed = CharacterSet(charactersIn: "/-._~")
    for range in ["a"..."z", "A"..."Z", "0"..."9"] as [ClosedRange<Unicode.Scalar>] {
      allowed.insert(charactersIn: range)
    }
    let canonical = [
      method, key.addingPercentEncoding(withAllowedCharacters: allowed) ?? "", "",
      signed.map { "\($0):\(value($0))\n" }.joined(), signed.joined(separator: ";"),
      value("x-amz-content-sha256"),
    ].joined(separator: "\n")
    let text = ["AWS4-HMAC-SHA256", value("x-amz-date"), scope, hash(canonical).hex]
      .joined(separator: "\n")
    var signingKey = Array(("AWS4" + secretKey).utf8)
    for part in scope.split(separator: "/") { signingKey = code(String(part), signingKey) }
    return code(text, signingKey).map { String(format: "%02x", $0) }.joined()
  }

  /// What is wrong with the signature of a request; `nil` when nothing is.
  static func fault(in request: LoopbackRequest, accessKey: String, secretKey: String) -> String? {
    guard let authorization = request["authorization"] else { return "not signed" }
    let pattern =
      /AWS4-HMAC-SHA256 Credential=([^\/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]+)/
    guard let match = authorization.wholeMatch(of: pattern) else { return "malformed" }
    let signed = match.3.split(separator: ";").map(String.init)
    guard match.1 == accessKey[...] else { return "another access key" }
    guard signed == signed.sorted() else { return "headers are not sorted" }
    guard
      request["x-amz-content-sha256"] == request.body.withUnsafeBytes({ SHA256.hash(of: $0) }).hex
    else { return "another body" }
    let needed = request.headers.map(\.name).filter { $0.hasPrefix("x-amz-") } + ["host"]
    guard Set(needed).isSubset(of: signed) else { return "unsigned headers" }
    let signature = signature(
      request.method, request.target, request.headers, signed: signed, scope: String(match.2),
      secretKey: secretKey)
    return signature == match.4 ? nil : "SignatureDoesNotMatch"
  }

  private static func hash(_ text: String) -> BlobHash {
    Array(text.utf8).withUnsafeBytes { SHA256.hash(of: $0) }
  }

  private static func code(_ text: String, _ key: [UInt8]) -> [UInt8] {
    Array(text.utf8).withUnsafeBytes { message in
      key.withUnsafeBytes { key in
        SHA256.authenticationCode(for: message, key: key).withBytes { Array($0) }
      }
    }
  }
}
