import Foundation

@testable import DiskCaching
@testable import ImageModel

extension CacheRecord {
  /// A record as tests need it; without bytes it is a negative one.
  static func stub(byteCount: Int?, failure: ImageError.Code? = nil) -> CacheRecord {
    var record = CacheRecord(
      key: .original(url: "http://test.invalid/a.jpg"), at: Date(timeIntervalSince1970: 1e9))
    record.failure = failure
    record.content = byteCount.map { count in
      [UInt8](repeating: 7, count: count).withUnsafeBytes { CacheContent(of: $0) }
    }
    return record
  }
}
