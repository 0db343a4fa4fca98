import DiskCaching
import Foundation
import ImageModel

/// Keys, bytes and records derived from a number.
enum Payload {
  static let byteCount = 20_000

  static func url(_ number: Int) -> String {
    "https://pic3.example.com/v2-\(String(number &* 0x9E37_79B9, radix: 16))-\(number).jpg"
  }

  static func key(_ number: Int) -> CacheKey { .original(url: url(number)) }

  static func bytes(_ number: Int) -> [UInt8] {
    var random = SplitMix64(seed: UInt64(number))
    let words = (0..<byteCount / 8).map { _ in random.next() }
    return words.withUnsafeBytes { [UInt8]($0) }
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
