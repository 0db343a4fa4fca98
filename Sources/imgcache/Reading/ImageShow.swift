import ImageCodecs
import ImageModel
import Synchronization
import TerminalGraphics

final class ImageShow: Sendable {
  private static let maximumKeptByteCount = 32 << 20
  private static let longestSleep = Duration.milliseconds(200)
  private static let output: Int32 = 1

  private let source: FrameSource
  private let command: ShowCommand
  private let hasChanged = Atomic(false)

  init(_ source: FrameSource, _ command: ShowCommand) {
    self.source = source
    self.command = command
  }

  func run() async throws {
    let profile = profile(asked: command.method.method, asks: true)
    guard source.info.frameCount > 1, command.frame == nil else {
      let drawing = drawing(on: profile)
      let bytes = try drawing.bytes(of: command.frame ?? 0, id: nil)
      Self.write(drawing.area.opening + drawing.area.frame(bytes) + drawing.area.closing)
      return
    }
    TerminalState.shared.claim(Self.output) { [self] event in
      if event != .stopping { hasChanged.store(true, ordering: .relaxed) }
    }
    defer { TerminalState.shared.release() }
    try await play(on: profile)
  }

  private func play(on first: TerminalProfile) async throws {
    var info = source.info
    info.loopCount = command.once ? 1 : command.loops ?? info.loopCount
    let timeline = AnimationTimeline(info)
    // Unlikely to be used by other programs on this terminal.
    let id = UInt32.random(in: 0x10_0000...0xFF_FFFF)
    var profile = first
    var drawing = drawing(on: profile)
    var kept: [Int: [UInt8]] = [:]
    var keptByteCount = 0
    var shown: Int?
    Self.write(drawing.area.opening)
    defer { Self.write(drawing.area.closing) }

    let start = ContinuousClock.now
    while true {
      if hasChanged.exchange(false, ordering: .relaxed) {
        if profile.method == .kitty { Self.write(KittyGraphics.deletion(of: id)) }
        profile = resized(profile)
        drawing = self.drawing(on: profile)
        (kept, keptByteCount) = ([:], 0)
        shown = nil
        Self.write(ScreenArea.erasing + drawing.area.opening)
      }
      let position = timeline.position(after: .now - start)
      if position.index != shown {
        let bytes =
          try kept[position.index] ?? drawing.area.frame(drawing.bytes(of: position.index, id: id))
        if kept[position.index] == nil, keptByteCount + bytes.count <= Self.maximumKeptByteCount {
          kept[position.index] = bytes
          keptByteCount += bytes.count
        }
        if TerminalState.shared.isForeground { Self.write(bytes) }
        shown = position.index
      }
      guard let next = position.nextChange else { return }
      try await Task.sleep(until: min(start + next, .now + Self.longestSleep), clock: .continuous)
    }
  }

  private func profile(asked: GraphicsMethod?, asks: Bool) -> TerminalProfile {
    TerminalDevice.profile(
      of: Self.output, asked: asked, asks: asks, isColorless: command.fetching.common.noColor)
  }

  private struct Drawing {
    let source: FrameSource
    let writer: ImageWriter
    let layout: ImageLayout
    var area: ScreenArea { ScreenArea(rows: layout.rows) }

    func bytes(of frame: Int, id: UInt32?) throws(ImageError) -> [UInt8] {
      try writer.bytes(source.frame(frame, scaledTo: layout.pixels), layout, id: id)
    }
  }

  private func drawing(on profile: TerminalProfile) -> Drawing {
    // One row for the command line above the image and two for the prompt; a small terminal has
    // one for the prompt alone.
    let reserved = profile.rows >= 8 ? 3 : 1
    let (columns, rows) = (profile.columns, max(1, profile.rows - reserved))
    let room = command.size?.size ?? PixelSize(width: 0, height: 0)
    let layout = ImageLayout(
      source.info.size, columns: room.width == 0 ? columns : min(columns, room.width),
      rows: room.height == 0 ? rows : min(rows, room.height), on: profile,
      enlarges: command.enlarge)
    return Drawing(source: source, writer: ImageWriter(profile), layout: layout)
  }

  private func resized(_ profile: TerminalProfile) -> TerminalProfile {
    let now = self.profile(asked: profile.method, asks: false)
    var result = profile
    (result.columns, result.rows) = (now.columns, now.rows)
    return result
  }

  private static func write(_ bytes: [UInt8]) { Stream.write(bytes.span.bytes, to: output) }
}
