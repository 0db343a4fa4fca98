import HTTPCaching
import ImageModel
import NIOCore

@testable import SharedCaching

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A value that is read and written reads back as the same value. The checksum of the input is set
/// beforehand, or hardly any input would pass it.
enum TierTarget {
  static func check(_ bytes: [UInt8]) throws(FuzzFailure) {
    _ = try? TierValueCoding.decode(ByteBuffer(bytes: bytes))
    guard bytes.count >= TierValueCoding.headerByteCount,
      let decoded = try? TierValueCoding.decode(sealed(bytes))
    else { return }
    // Milliseconds of years after 9999 exceed the precision of a `Date`.
    let times = [
      decoded.value.response.requestTime, decoded.value.response.responseTime,
      decoded.value.freshUntil, decoded.value.staleUntil, decoded.value.currentAt,
    ]
    guard times.allSatisfy({ abs($0.timeIntervalSince1970) < 253_402_300_800 }) else { return }
    let written = TierValueCoding.encode(
      decoded.value, decoded.generation, isPointer: decoded.isPointer)
    guard let again = try? TierValueCoding.decode(written) else {
      throw FuzzFailure(description: "cannot be read again: \(decoded.value)")
    }
    try require(again.generation == decoded.generation, "\(again.generation)")
    try require(again.isPointer == decoded.isPointer, "a pointer or not")
    // Fields that the writer reserves are left out, so the first decoding is compared.
    let third = try? TierValueCoding.decode(
      TierValueCoding.encode(again.value, again.generation, isPointer: again.isPointer))
    try require(third?.value == again.value, "\(again.value)\nbecame \(String(describing: third))")
    try require(again.value.body == decoded.value.body, "the body")
    try require(
      again.value.response.status == decoded.value.response.status
        && again.value.freshUntil == decoded.value.freshUntil
        && again.value.staleUntil == decoded.value.staleUntil
        && again.value.currentAt == decoded.value.currentAt
        && again.value.response.requestTime == decoded.value.response.requestTime,
      "\(decoded.value)\nbecame \(again.value)")
  }

  private static func sealed(_ bytes: [UInt8]) -> ByteBuffer {
    var bytes = bytes
    bytes.replaceSubrange(12..<16, with: [0, 0, 0, 0])
    var checksum = CRC32C()
    bytes.withUnsafeBytes { checksum.update($0) }
    var buffer = ByteBuffer(bytes: bytes)
    buffer.setInteger(checksum.value, at: 12, endianness: .little)
    return buffer
  }
}
