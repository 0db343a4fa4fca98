/// A text of the page for operators, in each of its languages.
enum StatusText {
  case title, uptime, updated, unreachable, charts, stores, table, now, lastMinute, lastHour
  case requests, requestRate, errors, hitRate, latency, latencyHint, queue, queueHint, evictions
  case evictionRate, inFlight, connections, sent
  case memory, disk, shared, stale, misses, placeholders, median, slowest
  case decodesRunning, decodesWaiting, fetchesWaiting, waiting, perSecond
  case tierWorks, tierSuspended, time, highest, noData, sharedErrors, entries
  case minutes, hours, days

  /// Returns the text in a language.
  func text(in language: ReaderLanguage) -> String {
    language == .chinese ? texts.0 : texts.1
  }

  private var texts: (String, String) {
    switch self {
    case .title: ("imgcache 运行状态", "imgcache status")
    case .uptime: ("已运行", "Up for")
    case .updated: ("更新于", "Updated")
    case .unreachable:
      ("服务器没有响应，显示的是最后一次读取的数据。", "The server does not respond; these are its last figures.")
    case .charts: ("最近一小时", "The last hour")
    case .stores: ("存储", "Stores")
    case .table: ("每十分钟汇总", "Ten-minute totals")
    case .now: ("现在", "now")
    case .lastMinute: ("最近一分钟", "The last minute")
    case .lastHour: ("一小时", "hour")
    case .requests: ("请求数", "Requests")
    case .requestRate: ("每秒请求数", "Requests per second")
    case .errors: ("错误", "Errors")
    case .hitRate: ("命中率", "Hit rate")
    case .latency: ("图片响应时间", "Image latency")
    case .latencyHint: ("/thumb 和 /image 的响应时间", "Durations of /thumb and /image")
    case .queue: ("队列", "Queue")
    case .queueHint: ("每 30 秒内的最大值", "Maximum in each 30 s")
    case .evictions: ("淘汰", "Evictions")
    case .evictionRate: ("每分钟淘汰数", "Evictions per minute")
    case .inFlight: ("处理中的请求", "In flight")
    case .connections: ("连接数", "Connections")
    case .sent: ("发送流量", "Sent")
    case .memory: ("内存", "Memory")
    case .disk: ("磁盘", "Disk")
    case .shared: ("共享层", "Shared tier")
    case .stale: ("过期内容", "Stale")
    case .misses: ("未命中", "Misses")
    case .placeholders: ("占位图", "Placeholders")
    case .median: ("中位数", "Median")
    case .slowest: ("第 99 百分位", "99th percentile")
    case .decodesRunning: ("正在解码", "Decoding")
    case .decodesWaiting: ("等待解码", "Waiting to decode")
    case .fetchesWaiting: ("等待抓取", "Waiting to fetch")
    case .waiting: ("等待中", "Waiting")
    case .perSecond: ("/秒", "/s")
    case .tierWorks: ("正常", "in use")
    case .tierSuspended: ("已暂停（出现故障）", "suspended after failures")
    case .time: ("时间", "Time")
    case .highest: ("最高", "highest")
    case .noData: ("暂无数据", "No data yet")
    case .sharedErrors: ("失败", "Failures")
    case .entries: ("个条目", "entries")
    case .minutes: ("分钟", "min")
    case .hours: ("小时", "h")
    case .days: ("天", "d")
    }
  }
}
