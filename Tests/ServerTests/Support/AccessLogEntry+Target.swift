import NIOHTTP1

@testable import HTTPListening

extension AccessLog.Entry {
  /// The entry of a `GET`.
  init(
    _ target: String, status: Int, byteCount: Int, source: ServerMetrics.Source = .none
  ) {
    self.init(HTTPRequestHead(version: .http1_1, method: .GET, uri: target))
    self.status = status
    self.byteCount = byteCount
    self.source = source
  }
}
