public import HTTPTypes
import RawStructuredFieldValues

extension HTTPFields {
  /// The groups that a response belongs to, in `Cache-Groups`: an origin invalidates the responses
  /// of a group together (RFC 9875).
  public var cacheGroups: Set<String> { strings(HTTPField.Name("Cache-Groups")) }

  var invalidatedCacheGroups: Set<String> { strings(HTTPField.Name("Cache-Group-Invalidation")) }

  /// The maximum number of parsed bytes of a field: more than the 32 groups of 32 characters that
  /// RFC 9875 §2 requires. A longer field names no groups.
  private static let maximumGroupByteCount = 8192

  /// Reads a list of strings (RFC 9651 §3.1); what is not one names no groups.
  private func strings(_ name: HTTPField.Name?) -> Set<String> {
    let bytes = Array((name.map { self[values: $0] } ?? []).joined(separator: ",").utf8)
    guard !bytes.isEmpty, bytes.count <= Self.maximumGroupByteCount else { return [] }
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
