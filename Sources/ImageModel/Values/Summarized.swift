package import HTTPTypes

/// A value that prints, dumps and reflects as a few properties in one line: without its bytes, and
/// without what gives access.
package protocol Summarized: CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The properties to show; one that is `nil` or empty is left out.
  var summary: KeyValuePairs<String, Any?> { get }
}

extension Summarized {
  private var shown: [(label: String?, value: Any)] {
    summary.compactMap { label, value in
      (value as? any Collection)?.isEmpty == true ? nil : value.map { (label, $0) }
    }
  }

  /// The type and its properties in one line, with a checksum in place of bytes.
  public var description: String {
    let properties = shown.map { "\($0.label ?? ""): \($0.value)" }
    return "\(Self.self)(\(properties.joined(separator: ", ")))"
  }

  /// As ``description``.
  public var debugDescription: String { description }

  /// The properties of ``description``.
  public var customMirror: Mirror { Mirror(self, children: shown, displayStyle: .struct) }
}

extension [UInt8] {
  package var checksumText: String {
    String(withUnsafeBytes { CRC32C.checksum(of: $0) }, radix: 16)
  }

  package var summary: String { "\(count) (crc32c \(checksumText))" }
}

extension HTTPFields {
  /// The fields as text, with `***` for credentials.
  package var summary: [String] {
    let secrets: Set = [HTTPField.Name.authorization, .proxyAuthorization, .cookie, .setCookie]
    return map { "\($0.name): \(secrets.contains($0.name) ? "***" : $0.value)" }
  }
}
