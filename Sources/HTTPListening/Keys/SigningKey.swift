public import HTTPTypes
public import ImageModel

/// A secret, and its name: it signs URLs, or allows changes.
public struct SigningKey: Sendable, Hashable {
  /// The name in `kid`; `nil` for a key without a name.
  public let name: String?
  /// Its bytes.
  public let secret: [UInt8]

  /// Creates a key of any bytes.
  public init(name: String?, secret: [UInt8]) {
    self.name = name
    self.secret = secret
  }

  /// Parses a key file: one key a line, `NAME:SECRET` or the secret alone; blank lines and lines
  /// that begin with `#` are ignored. The first key signs, all verify.
  ///
  /// - Throws: `ImageError` with code `invalidArgument` for a file without a key, two keys of one
  ///   name, or a line with nothing before or after its colon.
  public static func list(_ text: String) throws(ImageError) -> [SigningKey] {
    var keys: [SigningKey] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() where !line.hasPrefix("#") && !isBlank(line) {
      let words = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      let hasName =
        words.count == 2 && words[0].utf8.count <= 64
        && words[0].utf8.allSatisfy { HTTPText.isAlphanumeric($0, or: "-_") }
      // If a script left the secret out, the rest of the line must not become a guessable one.
      if words.count == 2, isBlank(words[0]) || hasName && isBlank(words[1]) {
        throw ImageError(
          .invalidArgument,
          "line \(index + 1) of the key file has no \(isBlank(words[0]) ? "name" : "secret"): write NAME:SECRET, or a secret alone"
        )
      }
      let name = hasName ? String(words[0]) : nil
      guard !keys.contains(where: { $0.name == name }) else {
        throw ImageError(.invalidArgument, "the key file has two keys of one name")
      }
      keys.append(SigningKey(name: name, secret: Array((hasName ? words[1] : line).utf8)))
    }
    guard !keys.isEmpty else { throw ImageError(.invalidArgument, "the key file has no key") }
    return keys
  }

  private static func isBlank(_ text: Substring) -> Bool { text.allSatisfy(\.isWhitespace) }
}

extension SigningKey: Summarized {
  package var summary: KeyValuePairs<String, Any?> { ["name": name] }
}

extension [SigningKey] {
  /// Whether a request carries one of these keys as `Authorization: Bearer SECRET` (RFC 6750 §2.1);
  /// their names do not count.
  ///
  /// All keys are compared, each completely and by hashes of one length, so that the time reveals
  /// nothing about them.
  public func admit(_ fields: HTTPFields) -> Bool {
    let lines = fields[values: .authorization]
    guard lines.count == 1, let space = lines[0].firstIndex(of: " "),
      lines[0][..<space].lowercased() == "bearer"
    else { return false }
    func hash(_ secret: [UInt8]) -> [UInt8] { secret.withUnsafeBytes { SHA256.hash(of: $0).bytes } }
    let offered = hash([UInt8](lines[0][space...].drop { $0 == " " }.utf8))
    return reduce(false) { isKnown, key in
      let difference = zip(hash(key.secret), offered).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) }
      return difference == 0 || isKnown
    }
  }
}
