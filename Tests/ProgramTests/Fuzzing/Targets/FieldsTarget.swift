import HTTPTypes
import RawStructuredFieldValues

@testable import HTTPCaching
@testable import ImageModel

/// Structured fields: groups that are written as a list read back as the same groups, and a value
/// of `Cache-Status` is a list.
enum FieldsTarget {
  static func check(_ bytes: [UInt8]) throws(FuzzFailure) {
    let text = String(decoding: bytes, as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    _ = CacheControl(targeted: lines)
    let tags = EntityTag.list(lines.map { Array($0.utf8) })
    try require(tags.allSatisfy { !$0.isWeak || !$0.stronglyMatches($0) }, "\(tags)")

    guard let name = HTTPField.Name("Cache-Groups") else { return }
    var fields = HTTPFields()
    for line in lines { fields.append(HTTPField(name: name, value: line)) }
    let groups = fields.cacheGroups.sorted()
    if !groups.isEmpty {
      let list = groups.map { group in
        "\"\(group.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
      }.joined(separator: ", ")
      fields[values: name] = [list]
      let again = fields.cacheGroups
      try require(
        list.utf8.count > 8192 || again == Set(groups),
        "\(groups) became \(again) by way of \(list)")
    }

    var status = CacheStatus(.forwarded(.noAnswer, status: bytes.first.map(Int.init)))
    status.lifetime = bytes.count
    status.isStored = bytes.count % 2 == 0
    var parser = StructuredFieldValueParser(Array(status.description.utf8))
    try require((try? parser.parseListFieldValue()) != nil, "\(status) is not a list")
  }
}
