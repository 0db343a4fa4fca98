import Foundation
import HTTPTypes
import NIOCore
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import SharedCaching

@Suite struct `A value of the shared tier` {
  static func sample(_ body: [UInt8] = Array("body".utf8)) -> TierValue {
    var fields = HTTPFields()
    fields[.contentType] = "image/jpeg"
    fields[.eTag] = "\"abc\""
    fields[.cacheControl] = "max-age=60"
    fields.append(HTTPField(name: .via, value: "1.1 a"))
    fields.append(HTTPField(name: .via, value: [0x61, 0xE9, 0xFF]))
    if let name = HTTPField.Name("imgcache-tags") { fields[name] = "an origin's own" }
    var response = StoredResponse(
      status: 203, fields: fields, requestTime: Date(timeIntervalSince1970: 1_700_000_000.125),
      responseTime: Date(timeIntervalSince1970: 1_700_000_001.5))
    response.effectiveURL = "https://b.org/%E9.jpg?x=1"
    var details = HTTPFields()
    if let name = HTTPField.Name("size") { details[name] = "20x10" }
    return TierValue(
      response: response, body: body, freshUntil: Date(timeIntervalSince1970: 1_700_000_061.5),
      staleUntil: Date(timeIntervalSince1970: 1_700_086_461.5), tags: ["src-1", "day-20200616"],
      details: details)
  }
  private static func line(_ field: HTTPField) -> [UInt8] {
    Array("\(field.name.canonicalName): ".utf8) + field.withUnsafeBytesOfValue { Array($0) }
  }

  private static let generation =
    TierGeneration(number: 0x0123_4567_89AB_CDEF) ?? TierGeneration.random()

  @Test(arguments: [0, 1, 4, 100_000])
  func `is read as it was written`(byteCount: Int) throws {
    let value = Self.sample((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 &* 7) })
    let bytes = TierValueCoding.encode(value, Self.generation)
    let decoded = try TierValueCoding.decode(bytes)
    let (read, generation) = (decoded.value, decoded.generation)
    #expect(!decoded.isPointer)

    // Only the origin's field of the tier's own name is left out.
    var expected = value
    expected.response.fields = value.response.fields.filter {
      !$0.name.canonicalName.hasPrefix("imgcache-")
    }
    #expect(generation == Self.generation)
    #expect(read.body == value.body)
    #expect(read.tags == value.tags)
    #expect(read.details == value.details)
    #expect(read.currentAt == value.currentAt)
    #expect(read.response.status == 203)
    #expect(read.response.effectiveURL == "https://b.org/%E9.jpg?x=1")
    #expect(read.response.byteCount == byteCount)
    #expect(
      Set(read.response.fields.map(Self.line))
        == Set(expected.response.fields.map(Self.line)))
    #expect(
      [read.response.requestTime, read.response.responseTime, read.freshUntil, read.staleUntil]
        == [
          value.response.requestTime, value.response.responseTime, value.freshUntil,
          value.staleUntil,
        ])
  }

  @Test func `has the documented header`() {
    let bytes = TierValueCoding.encode(Self.sample(), Self.generation)
    let at = { (offset: Int) in bytes.getInteger(at: offset, endianness: .little, as: UInt64.self) }
    #expect(bytes.getString(at: 0, length: 4) == "ICV1")
    #expect(bytes.getInteger(at: 4, as: UInt8.self) == 2)
    #expect(bytes.getInteger(at: 6, endianness: .little, as: UInt16.self) == 203)
    let count = bytes.getInteger(at: 8, endianness: .little, as: UInt32.self).map { Int($0) }
    #expect(count == bytes.readableBytes - 4)
    #expect(at(16) == 4)
    #expect(at(24) == 0x0123_4567_89AB_CDEF)
    #expect(at(32) == 1_700_000_001_500)
    #expect(at(40) == 1_700_000_061_500)
    #expect(at(48) == 1_700_086_461_500)
    #expect(bytes.getInteger(at: 56, endianness: .little, as: UInt16.self) == 10)
    #expect(bytes.getInteger(at: 58, endianness: .little, as: UInt16.self) == 5)
    #expect(bytes.getString(at: 64, length: 15) == "image/jpeg\"abc\"")
  }

  @Test func `is rejected with any bit of it changed`() {
    let bytes = TierValueCoding.encode(Self.sample(), Self.generation)
    for position in 0..<bytes.readableBytes {
      for bit in 0..<8 {
        var damaged = bytes
        let byte = bytes.getInteger(at: position, as: UInt8.self) ?? 0
        damaged.setInteger(byte ^ (1 << bit), at: position)
        #expect(throws: TierValueCoding.Fault.self, "bit \(bit) of byte \(position)") {
          try TierValueCoding.decode(damaged)
        }
      }
    }
  }

  @Test func `is rejected if it is cut, longer or something else`() {
    let bytes = TierValueCoding.encode(Self.sample(), Self.generation)
    for count in 0..<bytes.readableBytes {
      #expect(throws: TierValueCoding.Fault.damaged, "\(count) bytes") {
        try TierValueCoding.decode(bytes.getSlice(at: 0, length: count) ?? ByteBuffer())
      }
    }
    var longer = bytes
    longer.writeString("x")
    #expect(throws: TierValueCoding.Fault.damaged) { try TierValueCoding.decode(longer) }
    var random = SplitMix64(seed: 3)
    for _ in 0..<2000 {
      let noise = (0..<Int(random.next() % 300)).map { _ in UInt8(truncatingIfNeeded: random.next())
      }
      #expect(throws: TierValueCoding.Fault.self) {
        try TierValueCoding.decode(ByteBuffer(bytes: noise))
      }
    }
  }

  @Test func `of another version is foreign, whatever its other bytes`() {
    var bytes = TierValueCoding.encode(Self.sample(), Self.generation)
    for version in [0, 1, 3, 255] as [UInt8] {
      bytes.setInteger(version, at: 4)
      #expect(throws: TierValueCoding.Fault.foreign) { try TierValueCoding.decode(bytes) }
    }
    bytes.setInteger(1 as UInt8, at: 4)
    bytes.setInteger(2 as UInt8, at: 5)
    #expect(throws: TierValueCoding.Fault.foreign) { try TierValueCoding.decode(bytes) }
  }

  @Test func `with a body in the bucket is read as written, and every bit of it is checked`()
    throws
  {
    let value = Self.sample()
    let bytes = TierValueCoding.encode(value, Self.generation, isPointer: true)
    let decoded = try TierValueCoding.decode(bytes)
    #expect(decoded.isPointer && decoded.generation == Self.generation)
    #expect(decoded.value.body.isEmpty && decoded.value.tags == value.tags)
    #expect(bytes.getInteger(at: 16, endianness: .little, as: UInt64.self) == 4)
    for position in 0..<bytes.readableBytes {
      var damaged = bytes
      let byte = bytes.getInteger(at: position, as: UInt8.self) ?? 0
      damaged.setInteger(byte ^ 1, at: position)
      #expect(throws: TierValueCoding.Fault.self) { try TierValueCoding.decode(damaged) }
    }
  }

  @Test func `decodes extreme times without harm`() throws {
    var value = Self.sample()
    (value.freshUntil, value.staleUntil) = (.distantPast, .distantFuture)
    value.response.responseTime = Date(timeIntervalSince1970: 1e300)
    let read = try TierValueCoding.decode(TierValueCoding.encode(value, Self.generation)).value
    #expect(read.staleUntil > Date(timeIntervalSince1970: 1e10))
    #expect(read.freshUntil < Date(timeIntervalSince1970: 0))
  }

  @Test(arguments: [(-3600.0, "2"), (-3, "2"), (0, "2"), (10, "12"), (1e12, "2147483648")])
  func `has an age, also if it was received after it was asked for`(
    asked: TimeInterval, age: String
  ) {
    let value = Self.sample()
    let time = value.response.responseTime + asked

    let received = value.received(Self.generation, asked: time, at: time + 4)

    #expect(received.fields[.age] == age)
    #expect(received.requestTime == time)
  }
}
