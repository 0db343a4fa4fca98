import DiskCaching
import Dispatch
import ImageFeeds
import ImageModel
import Synchronization
import TerminalGraphics

/// The progress of a prefetch at the bottom of a terminal, drawn on another thread.
final class PrefetchHUD: Sendable {
  /// Ten drawings a second at most.
  private static let interval = 0.1
  /// A shorter prefetch shows no progress.
  private static let delay = Duration.milliseconds(150)
  /// Images that wait to be shown; further ones are only counted.
  private static let maximumPending = 200
  /// Images shown between two drawings.
  private static let imagesPerDrawing = 3
  private static let output: Int32 = 2

  private struct State {
    var bar = ProgressBar()
    var latest = ""
    var pending: [(item: DayImage, facts: String)] = []
    var skippedCount = 0
    var isFinished = false
  }

  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let queue = DispatchQueue(label: "imgcache.hud")
  private let cache: DiskCache
  private let showsImages: Bool
  private let profile: TerminalProfile
  private let notice: LoadingNotice?
  private let began = ContinuousClock.now

  /// Holds the terminal and begins to draw.
  ///
  /// - Parameter showsImages: Whether each image is shown as it arrives.
  init(cache: DiskCache, showsImages: Bool, isColorless: Bool) {
    self.cache = cache
    self.showsImages = showsImages
    profile = TerminalDevice.profile(of: Self.output, asks: showsImages, isColorless: isColorless)
    notice = try? LoadingNotice(
      depth: profile.depth, word: LoadingNotice.word(Environment.variables))
    TerminalState.shared.take(Self.output, hidesCursor: true, readsKeys: false) { event in
      if event == .stopping { StatusLine.shared.suspend() } else { StatusLine.shared.resume() }
    }
    queue.async { [self] in run() }
  }

  func note(_ bar: ProgressBar) { state.withLock { $0.bar = bar } }

  func note(_ item: DayImage, facts: String) {
    state.withLock { state in
      state.latest = facts
      guard showsImages else { return }
      if state.pending.count < Self.maximumPending {
        state.pending.append((item, facts))
      } else {
        state.skippedCount += 1
      }
    }
  }

  /// Shows the remaining images, removes the lines and restores the terminal. A second call does
  /// nothing.
  func finish() async {
    let isFirst = state.withLock { state in
      defer { state.isFinished = true }
      return !state.isFinished
    }
    guard isFirst else { return }
    wake.signal()
    // Not `queue.sync`: the queue may wait for the cache, and the cache for this thread.
    await withCheckedContinuation { continuation in queue.async { continuation.resume() } }
    StatusLine.shared.draw("")
    TerminalState.shared.release()
  }

  // MARK: On the queue

  private func run() {
    while true {
      let isOver = state.withLock { $0.isFinished }
      let elapsed = ContinuousClock.now - began
      if TerminalState.shared.isForeground {
        showPending(all: isOver)
        if !isOver, elapsed >= Self.delay { draw(elapsed) }
      }
      if isOver { return }
      _ = wake.wait(timeout: .now() + Self.interval)
    }
  }

  private func draw(_ elapsed: Duration) {
    let (bar, latest) = state.withLock { ($0.bar, $0.latest) }
    let now = TerminalDevice.profile(of: Self.output, asks: false, isColorless: true)
    if let notice, now.columns >= LoadingNotice.leastColumns, now.rows >= LoadingNotice.leastRows {
      // Before the images of the day are known, nothing is done.
      let progress =
        bar.total == 0 ? 0 : min(Double(bar.finished) / Double(bar.total), 1)
      let lines = notice.lines(
        after: elapsed, progress: progress, words: [bar.words(after: elapsed), latest],
        columns: now.columns)
      StatusLine.shared.draw(lines.joined(separator: "\n"))
    } else {
      StatusLine.shared.draw(bar.line(after: elapsed, columns: now.columns))
    }
  }

  private func showPending(all: Bool) {
    let (images, skippedCount) = state.withLock { state in
      let count = all ? state.pending.count : min(Self.imagesPerDrawing, state.pending.count)
      let images = Array(state.pending.prefix(count))
      state.pending.removeFirst(count)
      defer { if all { state.skippedCount = 0 } }
      return (images, all ? state.skippedCount : 0)
    }
    for image in images {
      let bytes = bytes(of: image.item, facts: image.facts)
      StatusLine.shared.whileHidden { Stream.write(bytes.span.bytes, to: Self.output) }
    }
    if skippedCount > 0 {
      let text = "and \(skippedCount) more that arrived too fast to be shown\r\n"
      StatusLine.shared.whileHidden { Stream.write(text, to: Self.output) }
    }
  }

  /// Reads an entry; the thread, which may block, waits for it.
  private func read(_ key: CacheKey) -> CachedEntry? {
    let entry = Mutex<CachedEntry?>(nil)
    let done = DispatchSemaphore(value: 0)
    Task { [cache] in
      let found = await cache.read(key)
      entry.withLock { $0 = found }
      done.signal()
    }
    done.wait()
    return entry.withLock { $0 }
  }

  /// Returns the image and a line under it; only the line if the image cannot be drawn.
  private func bytes(of item: DayImage, facts: String) -> [UInt8] {
    let caption = Array((facts.escapingControls() + "\r\n").utf8)
    guard let kept = read(.original(url: item.image.url)) else { return caption }
    do throws(ImageError) {
      let source = try FrameSource(kept.bytes, limits: ImageLimits())
      let layout = ImageLayout(
        source.info.size, columns: min(40, profile.columns), rows: min(10, profile.rows / 2),
        on: profile)
      let area = ScreenArea(rows: layout.rows)
      let drawing = try ImageWriter(profile).bytes(
        source.frame(0, scaledTo: layout.pixels), layout)
      return area.opening + area.frame(drawing) + area.closing + caption
    } catch {
      return caption
    }
  }
}
