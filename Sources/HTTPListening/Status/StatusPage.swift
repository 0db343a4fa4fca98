import TextEncodings

/// The page for operators. It is complete without a script, and stays current with one.
struct StatusPage {
  var status: ServerStatus
  var language: PageLanguage

  var html: String {
    let other = language.other
    return """
      <!DOCTYPE html>
      <html lang="\(language.tag)">
      <head>
      <meta charset="utf-8">
      <title>\(say(.title))</title>
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="referrer" content="no-referrer">
      <meta name="color-scheme" content="light dark">
      <link rel="icon" href="data:,">
      <link rel="stylesheet" href="status/status.css">
      <script type="module" src="status/status.js"></script>
      <noscript><meta http-equiv="refresh" content="10"></noscript>
      </head>
      <body>
      <header>
      <h1>\(say(.title))</h1>
      <a href="?lang=\(other.rawValue)" lang="\(other.rawValue)" \
      hreflang="\(other.rawValue)">\(other == .chinese ? "中文" : "English")</a>
      </header>
      <p id="lost" role="status" hidden>\(say(.unreachable))</p>
      <main>
      <p class="age">\(say(.uptime)) \(say(uptime)) · \(say(.updated)) \
      <time datetime="\(clockTime.full)">\(clockTime.short) UTC</time></p>
      <section class="tiles" aria-label="\(say(.lastMinute))">\(tiles)</section>
      <h2>\(say(.charts))</h2>
      <section class="charts" aria-label="\(say(.charts))">\(charts)</section>
      <h2>\(say(.stores))</h2>
      <section class="stores" aria-label="\(say(.stores))">\(stores)</section>
      <h2>\(say(.table))</h2>
      \(StatusTable(history: status.history, language: language).html)
      </main>
      </body>
      </html>

      """
  }

  private func say(_ text: StatusText) -> String { say(text.text(in: language)) }

  private func say(_ text: String) -> String { HTMLText.escaped(text) }

  private func pair(_ name: StatusText, _ value: String) -> String {
    name.text(in: language) + (language == .chinese ? "：" : ": ") + value
  }

  // MARK: Times

  private var uptime: String {
    let minutes = Int(min(max(status.uptimeSeconds, 0), 1e12) / 60)
    let (days, hours) = (minutes / 1440, minutes / 60 % 24)
    func part(_ count: Int, _ unit: StatusText) -> String {
      "\(count) \(unit.text(in: language))"
    }
    if days > 0 { return part(days, .days) + " " + part(hours, .hours) }
    return (hours > 0 ? part(hours, .hours) + " " : "") + part(minutes % 60, .minutes)
  }

  private var clockTime: (short: String, full: String) {
    let seconds = status.time % 86_400
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let short = "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))"
    return (short, short + "Z")
  }

  // MARK: The last minute

  private var tiles: String {
    let (now, hour, load) = (status.now, status.hour, status.load)
    func percent(_ share: Double?) -> String { share.map(Measure.percent) ?? "–" }
    func time(_ seconds: Double?) -> String { seconds.map(Measure.seconds) ?? "–" }
    // A line breaks between the two, not within one.
    func joined(_ text: String) -> String { text.replacing(" ", with: "\u{A0}") }
    func rate(_ bytes: Int, _ seconds: Double) -> String {
      Measure.bytes(seconds > 0 ? Int(Double(bytes) / seconds) : 0)
        + StatusText.perSecond.text(in: language)
    }
    func inHour(_ value: String) -> String { pair(.lastHour, value) }
    return [
      tile(
        .requests,
        Measure.number(now.requestRate) + StatusText.perSecond.text(in: language),
        inHour(Measure.number(hour.requestRate))),
      tile(.hitRate, percent(now.hitShare), inHour(percent(hour.hitShare))),
      tile(
        .latency, time(now.p50Seconds),
        "\(joined("p90 \(time(now.p90Seconds))")) · \(joined("p99 \(time(now.p99Seconds))"))"),
      tile(
        .errors, Measure.grouped(now.errors), inHour(Measure.grouped(hour.errors)),
        isBad: now.serverErrors > 0),
      tile(
        .waiting, Measure.grouped(load.waiting.values.reduce(0, +)),
        Self.queues.filter(\.isRunning).compactMap { queue in
          load.running[queue.name].map { pair(queue.text, Measure.grouped($0)) }
        }.first ?? ""),
      tile(
        .inFlight, Measure.grouped(load.inFlight),
        pair(.connections, Measure.grouped(load.connections))),
      tile(.sent, rate(now.bytesSent, now.seconds), inHour(Measure.bytes(hour.bytesSent))),
      tile(
        .evictions, Measure.grouped(now.memoryEvictions + now.diskEvictions),
        inHour(Measure.grouped(hour.memoryEvictions + hour.diskEvictions))),
    ].joined()
  }

  private func tile(
    _ name: StatusText, _ value: String, _ note: String, isBad: Bool = false
  ) -> String {
    """
    <div class="tile\(isBad ? " bad" : "")"><h2>\(say(name))</h2><p class="value">\(say(value))</p>\
    <p class="note">\(say(note))</p></div>
    """
  }

  // MARK: The last hour

  private static let sources: KeyValuePairs<StatusText, Int> = [
    .memory: 1, .hit: 1, .disk: 2, .revalidated: 2, .shared: 3, .stale: 4, .miss: 5,
    .placeholder: 6, .pass: 6,
  ]

  private static let queues: [(text: StatusText, name: String, isRunning: Bool, color: Int)] = [
    (.decodeRunning, "decode", true, 2), (.decodeWaiting, "decode", false, 1),
    (.fetchWaiting, "fetch", false, 5), (.originRunning, "origin", true, 2),
    (.originWaiting, "origin", false, 1), (.collapsedWaiting, "collapsed", false, 5),
  ]

  private var charts: String {
    let history = status.history
    func rates(_ counts: [Int], per seconds: Double) -> [Double?] {
      zip(counts, history.seconds).map { $1 > 0 ? Double($0) / $1 * seconds : nil }
    }
    func counts(_ counts: [Int]) -> [Double?] { counts.map(Double.init) }
    let totals = history.seconds.indices.map { index in
      history.answers.values.reduce(0) { $0 + Double($1[index]) }
    }
    let shares = Self.sources.compactMap { name, color -> StatusChart.Series? in
      guard let counts = history.answers["\(name)"], name != .shared || status.shared != nil
      else { return nil }
      return series(name, color, zip(counts, totals).map { $1 > 0 ? Double($0) / $1 : nil })
    }
    let queues = Self.queues.compactMap { queue -> StatusChart.Series? in
      (queue.isRunning ? history.running : history.waiting)[queue.name]
        .map { series(queue.text, queue.color, counts($0)) }
    }
    return [
      chart(
        .requestRate, nil,
        [
          series(.requests, 1, rates(history.requests, per: 1)),
          series(.errors, 5, rates(history.errors, per: 1)),
        ], Measure.number),
      chart(.hitRate, nil, shares, Measure.percent, isStacked: true),
      chart(
        .latency, .latencyHint,
        [
          series(.median, 1, history.p50Seconds), series(.slowest, 5, history.p99Seconds),
        ], minimumTop: 0.001, { $0 == 0 ? "0" : Measure.seconds($0) }),
      chart(
        .queue, .queueHint, queues, minimumTop: 2, Measure.number),
      chart(
        .evictionRate, nil,
        [
          series(.memory, 1, rates(history.memoryEvictions, per: 60)),
          series(.disk, 2, rates(history.diskEvictions, per: 60)),
        ], minimumTop: 2, Measure.number),
    ].joined()
  }

  private func series(_ name: StatusText, _ color: Int, _ values: [Double?]) -> StatusChart.Series {
    StatusChart.Series(name: name.text(in: language), color: color, values: values)
  }

  private func chart(
    _ title: StatusText, _ hint: StatusText?, _ series: [StatusChart.Series],
    minimumTop: Double = 1, _ unit: @escaping (Double) -> String, isStacked: Bool = false
  ) -> String {
    let says = series.map { series in
      let values = series.values.compactMap { $0 }
      guard let last = values.last, let highest = values.max() else {
        return "\(series.name) \(StatusText.noData.text(in: language))"
      }
      return
        "\(series.name) \(unit(last)) (\(StatusText.highest.text(in: language)) \(unit(highest)))"
    }
    let chart = StatusChart(
      seconds: status.history.seconds, series: series, isStacked: isStacked,
      minimumTop: minimumTop,
      label: "\(title.text(in: language)): \(says.joined(separator: "; "))", language: language,
      unit: unit)
    let legend = series.map { "<li class=\"c\($0.color)\">\(say($0.name))</li>" }.joined()
    let note = hint.map { "<p class=\"note\">\(say($0))</p>" } ?? ""
    return """
      <figure><figcaption><h3>\(say(title))</h3>\(note)</figcaption>\(chart.svg)\
      <ul class="legend">\(legend)</ul></figure>
      """
  }

  // MARK: Stores

  private var stores: String {
    var text = (status.memory.map { store(.memory, $0) } ?? "")
    text += status.disk.map { store(.disk, $0) } ?? ""
    if let tier = status.shared {
      let state: StatusText = tier.isSuspended ? .tierSuspended : .tierWorks
      let total = Double(tier.hits) + Double(tier.misses)
      let share = total > 0 ? Measure.percent(Double(tier.hits) / total) : "–"
      text += tile(
        .shared, state.text(in: language),
        pair(.hitRate, share) + " · " + pair(.sharedErrors, Measure.grouped(tier.errors)),
        isBad: tier.isSuspended)
    }
    return text
  }

  private func store(_ name: StatusText, _ store: ServerStatus.Store) -> String {
    let share = store.limit > 0 ? min(1, Double(store.bytes) / Double(store.limit)) : 0
    return """
      <div class="tile"><h3>\(say(name))</h3><p class="value">\(say(Measure.percent(share)))</p>\
      <svg class="bar" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">\
      <rect class="ground" width="100" height="4"></rect>\
      <rect class="c1" width="\(Int((share * 100).rounded(.up)))" height="4"></rect></svg>\
      <p class="note">\(say(Measure.bytes(store.bytes))) / \(say(Measure.bytes(store.limit))) · \
      \(say(Measure.grouped(store.entries))) \(say(.entries))</p></div>
      """
  }
}
