import DiskCaching
import ImageFeeds
import ImageModel
import ImagePipeline
import Synchronization
import TerminalGraphics

/// The progress of a prefetch at the bottom of a terminal, drawn on another thread.
final class PrefetchHUD: Sendable {
  /// Images that wait to be shown; further ones are only counted.
  private static let maximumPending = 200
  private static let imagesPerDrawing = 3
  private static let output: Int32 = 2

  private struct State {
    var bar = ProgressBar()
    var latest = ""
    var pending: [(item: DayImage, facts: String)] = []
    var skippedCount = 0
    var rate = RecentRate()
  }

  private let state = Mutex(State())
  private let loop = StatusLoop()
  private let session: Session
  private let receivedBefore: Int
  private let showsImages: Bool
  private let profile: TerminalProfile
  private let notice: LoadingNotice?

  init(_ session: Session, showsImages: Bool, isColorless: Bool) {
    self.session = session
    receivedBefore = session.pipeline.transferTotals.receivedByteCount
    self.showsImages = showsImages
    profile = TerminalDevice.profile(of: Self.output, asks: showsImages, isColorless: isColorless)
    notice = try? LoadingNotice(
      depth: profile.depth, word: LoadingNotice.word(Environment.variables))
    loop.start { [self] elapsed, isOver in
      showPending(all: isOver)
      return isOver ? "" : lines(after: elapsed)
    }
  }

  func record(_ bar: ProgressBar) { state.withLock { $0.bar = bar } }

  func record(_ item: DayImage, facts: String) {
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

  /// Shows the remaining images and restores the terminal. A second call does nothing.
  func finish() async { await loop.end() }

  // MARK: On the thread of the loop

  private func lines(after elapsed: Duration) -> String {
    let received = session.pipeline.transferTotals.receivedByteCount - receivedBefore
    let arrived = session.pipeline.arrivingBodies.reduce(0.0) { sum, body in
      let progress = BodyProgress(
        receivedByteCount: body.receivedByteCount, expectedByteCount: body.expectedByteCount)
      return sum + (progress.share ?? 0)
    }
    let (bar, latest) = state.withLock { state in
      var bar = state.bar
      (bar.byteCount, bar.arrived) = (received, arrived)
      bar.byteRate = state.rate.record(received, at: elapsed)
      return (bar, state.latest)
    }
    let now = TerminalDevice.profile(of: Self.output, asks: false, isColorless: true)
    guard let notice, now.columns >= LoadingNotice.leastColumns, now.rows >= LoadingNotice.leastRows
    else { return bar.line(after: elapsed, columns: now.columns) }
    return notice.lines(
      after: elapsed, progress: bar.share, words: bar.words(after: elapsed) + [latest],
      columns: now.columns
    ).joined(separator: "\n")
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

  private func bytes(of item: DayImage, facts: String) -> [UInt8] {
    let columns = TerminalDevice.columns(of: Self.output)
    let caption = Array((TextColumns.cutInside(facts.onOneLine(), columns) + "\r\n").utf8)
    let read = awaited { [session] in await session.cache.read(.image(at: item.image.url)) }
    guard let kept = read ?? nil else { return caption }
    do throws(ImageError) {
      let source = try FrameSource(kept.bytes, limits: ImageLimits())
      let layout = ImageLayout(
        source.info.size, columns: min(40, columns), rows: min(10, profile.rows / 2),
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
