import Foundation
import ImagePipeline

/// Keys and bytes that any process can make again from a number.
enum Payload {
  static func key(_ number: Int) -> CacheKey {
    .original(
      url: "https://pic3.example.com/v2-\(String(number &* 0x9E37_79B9, radix: 16))-\(number).jpg")
  }

  static func bytes(_ number: Int, count: Int) -> [UInt8] {
    var state = UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    return [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      for index in 0..<count {
        if index & 7 == 0 {
          state ^= state << 13
          state ^= state >> 7
          state ^= state << 17
        }
        room[index] = UInt8(truncatingIfNeeded: state >> UInt64(8 * (index & 7)))
      }
      filled = count
    }
  }

  static func record(_ number: Int) -> CacheRecord {
    var record = CacheRecord(key: key(number), at: Date())
    record.format = .jpeg
    record.size = PixelSize(width: 640, height: 480)
    record.headers = HeaderText([
      .eTag: "\"\(number)abcdefabcdef\"", .cacheControl: "max-age=31536000",
      .lastModified: "Sat, 21 Nov 2015 09:15:00 GMT", .contentType: "image/jpeg",
    ])
    return record
  }
}
