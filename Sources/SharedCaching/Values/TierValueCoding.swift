import HTTPCaching
import HTTPTypes
import ImageModel
import NIOCore

/// The bytes of a value in the servers: a header of 64 bytes in little-endian order, the media type,
/// the entity tag, the other header fields a line each, and the body.
///
/// | offset | bytes | what |
/// |---|---|---|
/// | 0 | 4 | `ICV1` |
/// | 4 | 1 | version, 2 |
/// | 5 | 1 | flags: 1 if the body is in the object store and not here, else 0 |
/// | 6 | 2 | HTTP status |
/// | 8 | 4 | bytes before the body |
/// | 12 | 4 | CRC-32C of everything, with these four bytes as 0 |
/// | 16 | 8 | bytes of the body |
/// | 24 | 8 | generation |
/// | 32 | 8 | when it was fetched, in milliseconds since 1970 |
/// | 40 | 8 | until when it is fresh, the same |
/// | 48 | 8 | until when it is of use, the same |
/// | 56 | 2 | bytes of the media type |
/// | 58 | 2 | bytes of the entity tag |
/// | 60 | 4 | bytes of the other fields |
enum TierValueCoding {
  static let version: UInt8 = 2
  static let headerByteCount = 64
  /// More fields than any writer has.
  private static let maximumFieldCount = 4096
  /// More bytes before the body than any writer has.
  private static let maximumHeaderByteCount = 1 << 20
  private static let pointerFlag: UInt8 = 1
  /// Before the names of the writer's own fields, to distinguish them from the origin's.
  private static let ownPrefix = "imgcache-"
  /// Names that no stored response has: they frame a message.
  private static let ofConnection = HTTPFields().namesOfConnection

  enum Fault: Error, Hashable {
    /// They were damaged, or are something else.
    case damaged
    /// Another version of the program wrote them.
    case foreign
  }

  /// Whether a value may have a status: of a final response, neither a part nor about a stored one.
  static func allows(status: Int) -> Bool {
    (200...599).contains(status) && status != 206 && status != 304
  }

  // MARK: Writing

  static func encode(
    _ value: TierValue, _ generation: TierGeneration, isPointer: Bool = false
  ) -> ByteBuffer {
    var fields = value.response.fields
    let mediaType = remove(.contentType, from: &fields)
    let entityTag = remove(.eTag, from: &fields)
    var lines = ByteBuffer()
    for field in fields where !field.name.canonicalName.hasPrefix(ownPrefix) {
      write(field, named: field.name.canonicalName, to: &lines)
    }
    for field in value.details {
      write(field, named: ownPrefix + field.name.canonicalName, to: &lines)
    }
    for (name, text) in own(value) {
      lines.writeString("\(ownPrefix)\(name): \(text)\n")
    }
    let headerCount = headerByteCount + mediaType.count + entityTag.count + lines.readableBytes
    var buffer = ByteBuffer()
    buffer.reserveCapacity(headerCount + value.body.count)
    buffer.writeString("ICV1")
    buffer.writeMultipleIntegers(
      version, isPointer ? pointerFlag : 0, UInt16(clamping: value.response.status),
      UInt32(headerCount), UInt32(0), UInt64(value.body.count), endianness: .little)
    buffer.writeMultipleIntegers(
      generation.number, value.response.responseTime.milliseconds,
      value.freshUntil.milliseconds, value.staleUntil.milliseconds, endianness: .little)
    buffer.writeMultipleIntegers(
      UInt16(mediaType.count), UInt16(entityTag.count), UInt32(lines.readableBytes),
      endianness: .little)
    buffer.writeBytes(mediaType)
    buffer.writeBytes(entityTag)
    buffer.writeImmutableBuffer(lines)
    if !isPointer { buffer.writeBytes(value.body) }
    buffer.setInteger(checksum(buffer), at: 12, endianness: .little)
    return buffer
  }

  /// The only value of a field, which is taken out if it is short enough for the header.
  private static func remove(_ name: HTTPField.Name, from fields: inout HTTPFields) -> [UInt8] {
    let values = fields[fields: name]
    guard values.count == 1 else { return [] }
    let bytes = values[0].withUnsafeBytesOfValue { Array($0) }
    guard (1...Int(UInt16.max)).contains(bytes.count) else { return [] }
    fields[name] = nil
    return bytes
  }

  private static func write(_ field: HTTPField, named name: String, to lines: inout ByteBuffer) {
    lines.writeString("\(name): ")
    field.withUnsafeBytesOfValue { _ = lines.writeBytes($0) }
    lines.writeString("\n")
  }

  private static func own(_ value: TierValue) -> [(String, String)] {
    var own = [("requested", "\(value.response.requestTime.milliseconds)")]
    if value.currentAt != value.response.responseTime {
      own.append(("current", "\(value.currentAt.milliseconds)"))
    }
    if let url = value.response.effectiveURL { own.append(("effective-url", url)) }
    let tags = value.tags.filter { tag in
      !tag.isEmpty && tag.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C }
    }
    if !tags.isEmpty { own.append(("tags", tags.joined(separator: ","))) }
    return own
  }

  // MARK: Reading

  struct Decoded {
    /// The value; of a pointer without its body.
    var value: TierValue
    var generation: TierGeneration
    var isPointer: Bool
  }

  static func decode(_ bytes: ByteBuffer) throws(Fault) -> Decoded {
    var rest = bytes
    guard rest.readString(length: 4) == "ICV1",
      let (version, flags, status, headerCount, sum, bodyCount) = rest.readMultipleIntegers(
        endianness: .little, as: (UInt8, UInt8, UInt16, UInt32, UInt32, UInt64).self)
    else { throw .damaged }
    // The rest of another version's header may mean anything.
    guard version == Self.version, flags <= pointerFlag else { throw .foreign }
    let isPointer = flags == pointerFlag
    guard
      let (generation, fetched, fresh, stale, typeCount, tagCount, linesCount) =
        rest.readMultipleIntegers(
          endianness: .little, as: (UInt64, Int64, Int64, Int64, UInt16, UInt16, UInt32).self),
      Int(headerCount) == headerByteCount + Int(typeCount) + Int(tagCount) + Int(linesCount),
      headerCount <= maximumHeaderByteCount, bytes.readableBytes >= Int(headerCount),
      isPointer
        ? bytes.readableBytes == Int(headerCount)
        : bodyCount == UInt64(bytes.readableBytes - Int(headerCount)),
      let generation = TierGeneration(number: generation), checksum(bytes) == sum,
      allows(status: Int(status)), let mediaType = rest.readBytes(length: Int(typeCount)),
      let entityTag = rest.readBytes(length: Int(tagCount)),
      let lines = rest.readSlice(length: Int(linesCount)),
      let body = rest.readBytes(length: isPointer ? 0 : Int(bodyCount))
    else { throw .damaged }

    var response = StoredResponse(
      status: Int(status), fields: [:], requestTime: Date(milliseconds: fetched),
      responseTime: Date(milliseconds: fetched))
    if !mediaType.isEmpty { response.fields.append(try field(.contentType, mediaType)) }
    if !entityTag.isEmpty { response.fields.append(try field(.eTag, entityTag)) }
    var value = TierValue(
      response: response, body: body, freshUntil: Date(milliseconds: fresh),
      staleUntil: Date(milliseconds: stale))
    for line in lines.readableBytesView.split(separator: 0x0A) { try read(line, into: &value) }
    return Decoded(value: value, generation: generation, isPointer: isPointer)
  }

  /// A field that a writer may have stored, with a value that is sent as it is.
  private static func field(
    _ name: HTTPField.Name?, _ value: some Collection<UInt8>
  ) throws(Fault) -> HTTPField {
    guard let name, !ofConnection.contains(name.canonicalName), HTTPField.isValidValue(value)
    else { throw .damaged }
    return HTTPField(name: name, value: value)
  }

  private static func read(_ line: ByteBufferView, into value: inout TierValue) throws(Fault) {
    guard let colon = line.firstIndex(of: 0x3A), line[colon...].starts(with: ": ".utf8) else {
      throw .damaged
    }
    // Field names have no case: a line that the writer would spell as its own is its own.
    let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
    let content = line[(colon + 2)...]
    guard name.hasPrefix(ownPrefix) else {
      guard value.response.fields.count < maximumFieldCount else { throw .damaged }
      return value.response.fields.append(try field(HTTPField.Name(name), content))
    }
    let text = String(decoding: content, as: UTF8.self)
    switch name.dropFirst(ownPrefix.count) {
    case "requested":
      guard let time = Int64(text) else { throw .damaged }
      value.response.requestTime = Date(milliseconds: time)
    case "current":
      guard let time = Int64(text) else { throw .damaged }
      value.currentAt = Date(milliseconds: time)
    case "effective-url": value.response.effectiveURL = text
    case "tags": value.tags = text.split(separator: ",").map(String.init)
    case let name: value.details.append(try field(HTTPField.Name(String(name)), content))
    }
  }

  private static func checksum(_ bytes: ByteBuffer) -> UInt32 {
    bytes.withUnsafeReadableBytes { raw in
      var checksum = CRC32C()
      checksum.update(UnsafeRawBufferPointer(rebasing: raw[..<12]))
      withUnsafeBytes(of: UInt32(0)) { checksum.update($0) }
      checksum.update(UnsafeRawBufferPointer(rebasing: raw[16...]))
      return checksum.value
    }
  }
}
