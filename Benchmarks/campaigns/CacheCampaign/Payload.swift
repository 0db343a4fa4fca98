import DiskCaching
import Foundation
import ImageModel

/// Keys and bytes that any process can derive from a number.
enum Payload {
  static func key(_ number: Int) -> CacheKey {
    .original(
      url: "https://pic3.example.com/v2-\(String(number &* 0x9E37_79B9, radix: 16))-\(number).jpg")
  }

  static func bytes(_ number: Int, count: Int) -> [UInt8] {
    // Eight bytes a turn: debug builds make these too.
    var state = UInt64(bitPattern: Int64(number)) &* 0x9E37_79B9_7F4A_7C15 &+ 1
    var words = [UInt64](repeating: 0, count: count / 8 + 1)
    for index in words.indices {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      words[index] = state
    }
    return words.withUnsafeBytes { Array($0.prefix(count)) }
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
