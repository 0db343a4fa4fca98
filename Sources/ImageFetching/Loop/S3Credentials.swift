public import ImageModel
import TextEncodings

/// An access key of S3: what requests to a bucket are signed with.
///
/// The keys and the token are secrets: no description of this type shows them.
public struct S3Credentials: Sendable, Hashable {
  let accessKey: String
  let secretKey: String
  /// `nil` for keys that last.
  let sessionToken: String?

  /// Creates credentials; temporary keys have a session token.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for a part that is empty or has a
  ///   character that a header cannot carry; no message contains a part.
  public init(
    accessKey: String, secretKey: String, sessionToken: String? = nil
  ) throws(ImageError) {
    for (name, value) in [
      ("access key", accessKey), ("secret key", secretKey), ("session token", sessionToken ?? "-"),
    ] {
      guard !value.isEmpty else { throw ImageError(.invalidArgument, "The \(name) is empty") }
      guard value.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
        throw ImageError(
          .invalidArgument, "The \(name) has a space, a control character or a letter beyond ASCII")
      }
    }
    self.accessKey = accessKey
    self.secretKey = secretKey
    self.sessionToken = sessionToken
  }

  /// Reads `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, or else the profile
  /// `AWS_PROFILE` (default: `default`) of the file `AWS_SHARED_CREDENTIALS_FILE`, which `readFile`
  /// reads.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` where there are none or only a part, or
  ///   what `readFile` throws.
  public init(
    environment: [String: String], readFile: (_ path: String) throws(ImageError) -> [UInt8]
  ) throws(ImageError) {
    func value(_ name: String) -> String? {
      environment["AWS_" + name].flatMap { $0.isEmpty ? nil : $0 }
    }
    switch (value("ACCESS_KEY_ID"), value("SECRET_ACCESS_KEY")) {
    case (let access?, let secret?):
      try self.init(accessKey: access, secretKey: secret, sessionToken: value("SESSION_TOKEN"))
    case (nil, nil):
      guard let path = value("SHARED_CREDENTIALS_FILE") else {
        throw ImageError(
          .invalidArgument,
          "No S3 credentials: name a file, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")
      }
      try self.init(file: try readFile(path), path: path, profile: value("PROFILE") ?? "default")
    case (nil, _):
      throw ImageError(
        .invalidArgument, "AWS_SECRET_ACCESS_KEY is set and AWS_ACCESS_KEY_ID is not")
    case (_, nil):
      throw ImageError(
        .invalidArgument, "AWS_ACCESS_KEY_ID is set and AWS_SECRET_ACCESS_KEY is not")
    }
  }

  /// Reads a profile of a credentials file, as the AWS command line writes it: `[default]`, then
  /// `aws_access_key_id = …`, `aws_secret_access_key = …` and perhaps `aws_session_token = …`.
  ///
  /// Errors name `path`. The name between the brackets is `profile`.
  ///
  /// - Throws: `ImageError` with code `invalidArgument`; no message contains a line of the file.
  public init(file: [UInt8], path: String, profile: String = "default") throws(ImageError) {
    guard let text = String(validating: file, as: UTF8.self) else {
      throw ImageError(.invalidArgument, "\(path) is not a credentials file: it is not text")
    }
    guard let values = Self.profile(profile, in: text) else {
      throw ImageError(.invalidArgument, "\(path) has no profile [\(profile)]")
    }
    guard let access = values["aws_access_key_id"], let secret = values["aws_secret_access_key"]
    else {
      throw ImageError(
        .invalidArgument,
        "Profile [\(profile)] of \(path) needs aws_access_key_id and aws_secret_access_key")
    }
    do throws(ImageError) {
      try self.init(
        accessKey: access, secretKey: secret, sessionToken: values["aws_session_token"])
    } catch {
      throw error.withMessage("Profile [\(profile)] of \(path): \(error.message)")
    }
  }

  /// The values of a profile by their names in lower case; `nil` where there is no such profile.
  private static func profile(_ name: String, in text: String) -> [String: String]? {
    var values: [String: String]?
    var isInside = false
    for line in text.split(whereSeparator: \.isNewline) {
      let line = String(line).trimmingWhiteSpace()
      guard !line.isEmpty, !line.hasPrefix("#"), !line.hasPrefix(";") else { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        isInside = String(line.dropFirst().dropLast()).trimmingWhiteSpace() == name
        if isInside { values = values ?? [:] }
      } else if isInside, let equals = line.firstIndex(of: "=") {
        let key = String(line[..<equals]).trimmingWhiteSpace().lowercased()
        values?[key] = String(line[equals...].dropFirst()).trimmingWhiteSpace()
      }
    }
    return values
  }
}

extension S3Credentials: Summarized {
  /// The same for all.
  public var description: String { "S3Credentials(***)" }

  package var summary: KeyValuePairs<String, Any?> { [:] }
}
