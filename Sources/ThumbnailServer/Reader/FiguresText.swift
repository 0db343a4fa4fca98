import HTTPListening

/// A text of the statistics in the reader, in each of its languages.
enum FiguresText: String, Sendable, CaseIterable {
  case served, servedHint, noRequests, memory, disk, shared, miss, stale, placeholder
  case space, used, entries, documents, pinned, failures
  case ready, hitRate, hits, evictions
  case server, requests, errors, inFlight, connections, sent, median, slowest
  case lifetime, lastRun, memoryHits, diskHits, revalidations, fetched, stores, damaged
  case storeFailures

  func text(in language: PageLanguage) -> String {
    language == .chinese ? texts.0 : texts.1
  }

  private var texts: (String, String) {
    switch self {
    case .served: ("图片来源", "Where images came from")
    case .servedHint: ("自服务启动以来", "Since the server started")
    case .noRequests: ("还没有请求过图片", "No image has been requested yet")
    case .memory: ("内存", "Memory")
    case .disk: ("磁盘", "Disk")
    case .shared: ("共享层", "Shared tier")
    case .miss: ("源站", "Origin")
    case .stale: ("过期副本", "Stale copies")
    case .placeholder: ("占位图", "Placeholders")
    case .space: ("磁盘空间", "Space on the disk")
    case .used: ("已用空间", "Used")
    case .entries: ("图片", "Images")
    case .documents: ("文档", "Documents")
    case .pinned: ("固定的图片", "Pinned images")
    case .failures: ("记住的失败", "Remembered failures")
    case .ready: ("内存缓存", "Memory cache")
    case .hitRate: ("命中率", "Hit rate")
    case .hits: ("命中", "Hits")
    case .evictions: ("淘汰", "Evictions")
    case .server: ("服务器", "Server")
    case .requests: ("请求数", "Requests")
    case .errors: ("出错的请求", "Failed requests")
    case .inFlight: ("正在处理", "In progress")
    case .connections: ("连接数", "Connections")
    case .sent: ("已发送", "Sent")
    case .median: ("缩略图耗时（中位数）", "Thumbnail time, median")
    case .slowest: ("缩略图耗时（第 99 百分位）", "Thumbnail time, 99th percentile")
    case .lifetime: ("缓存创建以来", "Since the cache was created")
    case .lastRun: ("最近一次运行", "The last run")
    case .memoryHits: ("内存命中率", "Memory hit rate")
    case .diskHits: ("磁盘命中率", "Disk hit rate")
    case .revalidations: ("源站确认未变", "Confirmed by origins")
    case .fetched: ("向源站请求", "Requests to origins")
    case .stores: ("写入", "Written")
    case .damaged: ("损坏后移除", "Damaged and removed")
    case .storeFailures: ("写入失败", "Failed writes")
    }
  }
}
