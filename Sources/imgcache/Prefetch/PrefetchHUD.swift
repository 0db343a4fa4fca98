import Dispatch
import ImageFeeds
import ImagePipeline
import Synchronization
import TerminalGraphics

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// What a prefetch draws at the bottom of a terminal, from a thread of its own: loading only notes
/// numbers.
final class PrefetchHUD: Sendable {
  /// Ten drawings a second at most.
  private static let interval = 0.1
  /// A prefetch that is over sooner shows no notice.
  private static let delay = Duration.milliseconds(150)
  /// Pictures that wait to be shown at most; those beyond are counted.
  private static let maximumPending = 200
  /// Pictures shown between two drawings at most.
  private static let picturesPerDrawing = 3
  private static let output = STDERR_FILENO

  private struct State {
    var bar = ProgressBar()
    var latest = ""
    var pending: [(item: DayImage, facts: String)] = []
    var skippedCount = 0
    var isFinished = false
    var isResized = false
  }

  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let thread = Mutex<OSThread?>(nil)
  private let cache: DiskCache
  private let showsPictures: Bool
  private let profile: TerminalProfile
  private let notice: LoadingNotice?
  private let began = ContinuousClock.now

  /// Takes the terminal and begins to draw.
  ///
  /// - Parameter showsPictures: Whether each image is shown as it arrives.
  init(cache: DiskCache, showsPictures: Bool, isColorless: Bool) {
    self.cache = cache
    self.showsPictures = showsPictures
    profile = TerminalDevice.profile(
      of: Self.output, asks: showsPictures, isColorless: isColorless)
    do throws(ImageError) {
      notice = try LoadingNotice(
        depth: profile.depth, word: LoadingNotice.word(ProcessInfo.processInfo.environment))
    } catch {
      notice = nil
    }
    TerminalState.shared.take(Self.output, hidesCursor: true, readsKeys: false) { event in
      if event == .stopping { StatusLine.shared.suspend() } else { StatusLine.shared.resume() }
    }
    let thread = try? OSThread(name: "hud") { [self] in run() }
    self.thread.withLock { $0 = thread }
  }

  /// Notes how far it is.
  func note(_ bar: ProgressBar) {
    state.withLock { $0.bar = bar }
  }

  /// Notes an image that was stored.
  func note(_ item: DayImage, facts: String) {
    state.withLock { state in
      state.latest = facts
      guard showsPictures else { return }
      if state.pending.count < Self.maximumPending {
        state.pending.append((item, facts))
      } else {
        state.skippedCount += 1
      }
    }
  }

  /// Shows what still waits, takes the lines away and gives the terminal back. A second call does nothing.
  func finish() {
    guard
      let thread = thread.withLock({ thread in
        defer { thread = nil }
        return thread
      })
    else { return }
    state.withLock { $0.isFinished = true }
    wake.signal()
    thread.join()
    StatusLine.shared.draw("")
    TerminalState.shared.release()
  }

  // MARK: The thread

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
      // A day whose images are not known yet is not done.
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
    let (pictures, skippedCount) = state.withLock { state in
      let count = all ? state.pending.count : min(Self.picturesPerDrawing, state.pending.count)
      let pictures = Array(state.pending.prefix(count))
      state.pending.removeFirst(count)
      defer { if all { state.skippedCount = 0 } }
      return (pictures, all ? state.skippedCount : 0)
    }
    for picture in pictures {
      let bytes = bytes(of: picture.item, facts: picture.facts)
      StatusLine.shared.whileHidden { Report.writeBytes(bytes.span.bytes, to: Self.output) }
    }
    if skippedCount > 0 {
      let text = "and \(skippedCount) more that came too fast to be shown\r\n"
      StatusLine.shared.whileHidden { Report.write(text, to: Self.output) }
    }
  }

  /// The image and a line under it; the line alone where it cannot be drawn.
  private func bytes(of item: DayImage, facts: String) -> [UInt8] {
    let caption = Array((facts.escapingControls() + "\r\n").utf8)
    guard let kept = cache.read(.original(url: item.image.url)) else { return caption }
    do throws(ImageError) {
      let source = try PictureSource(kept.bytes, limits: ImageLimits())
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
