import ImagePipeline
import ReaderModel
import TerminalGraphics

/// The notice of the reader, in a terminal: its moving picture, the ring that closes, and words beside them.
///
/// A value without a clock: the caller says how long it has been.
struct LoadingNotice: Sendable {
  /// The rows of cells that it takes.
  static let rows = 6
  /// The columns that the pictures take.
  private static let pictureColumns = 26
  /// The smallest terminal that it is drawn on; below, a line has to do.
  static let leastColumns = 60
  static let leastRows = 14

  /// Pixels a side of the moving picture and of the ring.
  private static let side = 10
  /// Dark under both, as under the reader's notice, so that they are seen on any terminal.
  private static let ground = PixelColor(red: 38, green: 38, blue: 38)

  private let frames: [PixelBuffer]
  private let timeline: AnimationTimeline
  private let blocks: HalfBlocks
  private let word: String

  /// - Throws: ``ImageError`` where the animation cannot be made.
  init(depth: ColorDepth, language: ReaderLanguage) throws(ImageError) {
    blocks = HalfBlocks(depth: depth, background: Self.ground)
    word = ReaderText.loading.text(in: language)
    let gif = try LoadingAnimation.gif()
    let player = try AnimationPlayer(gif, content: "loading", budget: FrameBudget())
    timeline = AnimationTimeline(player.info)
    var frames: [PixelBuffer] = []
    for index in 0..<player.info.frameCount {
      frames.append(
        try Resize(PixelSize(width: Self.side, height: Self.side), fit: .fill)
          .process(player.frame(at: index)))
    }
    self.frames = frames
  }

  /// The lines after some time, none wider than the columns.
  ///
  /// - Parameters:
  ///   - progress: How much of the ring is closed, 0 through 1.
  ///   - words: At most three lines that stand under the first.
  func lines(
    after elapsed: Duration, progress: Double, words: [String], columns: Int
  ) -> [String] {
    var picture = PixelBuffer(
      PixelSize(width: Self.pictureColumns, height: 2 * Self.rows), filledWith: Self.ground)
    picture.draw(frames[timeline.position(after: elapsed).index], left: 2, top: 1)
    let ring = ProgressRing.picture(
      share: progress, side: Self.side, lineWidth: RefreshRing.lineWidth)
    picture.draw(ring, left: 14, top: 1)
    let percent = Int((progress * 100).rounded(.down))
    let beside = ["", "\(word) \(percent) %"] + words.prefix(3)
    return blocks.lines(picture).enumerated().map { row, bytes in
      let text = row < beside.count ? beside[row].escapingControls() : ""
      let room = columns - Self.pictureColumns - 3
      let line = String(decoding: bytes, as: UTF8.self)
      return text.isEmpty ? line : line + "  " + TextColumns.prefix(text, room)
    }
  }

  /// The language that the environment asks for; English, as everything else here, unless it is Chinese.
  static func language(_ environment: [String: String]) -> ReaderLanguage {
    let names = ["LC_ALL", "LC_MESSAGES", "LANG"].compactMap { environment[$0] }
    return names.first { !$0.isEmpty }?.lowercased().hasPrefix("zh") == true ? .chinese : .english
  }
}
