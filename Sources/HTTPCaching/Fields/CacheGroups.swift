public import HTTPTypes
import RawStructuredFieldValues

/// The groups of responses that an origin invalidates together (RFC 9875).
public enum CacheGroups {
  /// The groups that a response belongs to, in `Cache-Groups`.
  public static func members(of fields: HTTPFields) -> Set<String> {
    name.map { strings(fields[values: $0]) } ?? []
  }

  static func invalidated(by fields: HTTPFields) -> Set<String> {
    invalidation.map { strings(fields[values: $0]) } ?? []
  }

  private static let name = HTTPField.Name("Cache-Groups")
  private static let invalidation = HTTPField.Name("Cache-Group-Invalidation")

  /// The maximum number of parsed bytes of a field: more than the 32 groups of 32 characters that
  /// RFC 9875 §2 requires. A longer field names no groups.
  private static let maximumByteCount = 8192

  /// Reads a list of strings (RFC 9651 §3.1); what is not one names no groups.
  private static func strings(_ lines: [String]) -> Set<String> {
    let bytes = Array(lines.joined(separator: ",").utf8)
    guard !bytes.isEmpty, bytes.count <= maximumByteCount else { return [] }
    var parser = StructuredFieldValueParser(bytes)
    guard let members = try? parser.parseListFieldValue() else { return [] }
    return Set(
      members.compactMap { member in
        guard case .item(let item) = member, case .string(let text) = item.rfc9651BareItem else {
          return nil
        }
        return text
      })
  }
}
