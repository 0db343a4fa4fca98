/// A text of the page for operators, in each of its languages.
enum StatusText: String {
  case title, uptime, updated, unreachable, charts, stores, table, now, lastMinute, lastHour
  case requests, requestRate, errors, hitRate, latency, latencyHint, queue, queueHint, evictions
  case evictionRate, inFlight, connections, sent
  /// Named as the sources of responses.
  case memory, disk, shared, hit, stale, miss, revalidated, pass, placeholder
  /// Of the queues.
  case decodeRunning, decodeWaiting, fetchWaiting, originRunning, originWaiting, collapsedWaiting
  case median, slowest, waiting, perSecond
  case tierWorks, tierSuspended, time, highest, noData, sharedErrors, entries
  case minutes, hours, days

  func text(in language: PageLanguage) -> String {
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
    case .latency: ("内容响应时间", "Content latency")
    case .latencyHint: ("从收到请求头到响应结束", "From the head of a request to the end of its response")
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
    case .hit: ("命中", "Hits")
    case .miss: ("未命中", "Misses")
    case .revalidated: ("源站确认未变", "Revalidated")
    case .pass: ("直接转发", "Passed on")
    case .placeholder: ("占位图", "Placeholders")
    case .median: ("中位数", "Median")
    case .slowest: ("第 99 百分位", "99th percentile")
    case .decodeRunning: ("正在解码", "Decoding")
    case .decodeWaiting: ("等待解码", "Waiting to decode")
    case .fetchWaiting: ("等待抓取", "Waiting to fetch")
    case .originRunning: ("正在请求源站", "Origin requests")
    case .originWaiting: ("等待请求源站", "Waiting for the origin")
    case .collapsedWaiting: ("等待相同请求", "Waiting for an equal request")
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
