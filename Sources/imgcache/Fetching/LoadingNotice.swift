import ImageCodecs
import ImageModel
import TerminalGraphics
import ThumbnailServer

/// The notice "loading" in a terminal: the animation of the reader page, a ring that closes, and
/// words beside them.
struct LoadingNotice: Sendable {
  static let rows = 6
  private static let imageColumns = 26
  /// The smallest terminal it is drawn on; a smaller one shows a single line.
  static let leastColumns = 60
  static let leastRows = 14

  private static let side = 10
  /// Dark behind both, as on the reader page, so that they are visible on any terminal.
  private static let ground = PixelColor(red: 38, green: 38, blue: 38)

  private let frames: [PixelBuffer]
  private let blocks: HalfBlocks
  private let word: String

  init(depth: ColorDepth, word: String) throws(ImageError) {
    blocks = HalfBlocks(depth: depth, background: Self.ground)
    self.word = word
    let resize = Resize(PixelSize(width: Self.side, height: Self.side), fit: .fill)
    var frames: [PixelBuffer] = []
    for frame in LoadingAnimation.frames() { frames.append(try resize.process(frame)) }
    self.frames = frames
  }

  func lines(
    after elapsed: Duration, progress: Double, words: [String], columns: Int
  ) -> [String] {
    var image = PixelBuffer(
      PixelSize(width: Self.imageColumns, height: 2 * Self.rows), filledWith: Self.ground)
    let frame = Int(elapsed / LoadingAnimation.delay) % frames.count
    image.draw(frames[frame], left: 2, top: 1)
    let ring = ProgressRing.image(share: progress, side: Self.side, lineWidth: 2)
    image.draw(ring, left: 14, top: 1)
    let percent = Int((progress * 100).rounded(.down))
    let beside = ["", "\(word) \(percent) %"] + words.prefix(3)
    return blocks.lines(image).enumerated().map { row, bytes in
      let text = row < beside.count ? beside[row].onOneLine() : ""
      let room = columns - Self.imageColumns - 3
      let line = String(decoding: bytes, as: UTF8.self)
      return text.isEmpty ? line : line + "  " + TextColumns.cut(text, room)
    }
  }

  /// The word in the language that the environment asks for: English, or Chinese.
  static func word(_ environment: [String: String]) -> String {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
    let isChinese = names.first { !$0.isEmpty }?.lowercased().hasPrefix("zh") == true
    return isChinese ? "加载中..." : "Loading..."
  }
}
