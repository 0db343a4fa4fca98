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
    var random = SplitMix64(seed: UInt64(bitPattern: Int64(number)))
    let words = (0...count / 8).map { _ in random.next() }
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
