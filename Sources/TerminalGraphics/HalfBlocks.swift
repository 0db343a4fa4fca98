public import ImageCodecs
public import ImageModel

/// Writes an image as lines of text: each cell shows two pixels, one above the other.
public struct HalfBlocks: Sendable {
  /// The number of text colors.
  public let depth: ColorDepth
  /// The background color, if known.
  public let background: PixelColor?

  /// Creates a writer.
  public init(depth: ColorDepth, background: PixelColor? = nil) {
    self.depth = depth
    self.background = background
  }

  /// A pixel as it is written: the number of its color, or none to leave the background.
  private typealias Ink = Int32
  private static let nothing: Ink = -1

  /// Returns one line for two rows of pixels, as many cells wide as the image has columns. A line
  /// ends with the default text colors, and without a line break.
  public func lines(_ image: PixelBuffer) -> [[UInt8]] {
    guard depth != .none else { return inkLines(image) }
    let solid = image.withoutHalfTones(over: background)
    return stride(from: 0, to: solid.height, by: 2).map { row in
      var line = Line(isIndexed: depth == .indexed)
      for column in 0..<solid.width {
        line.add(
          top: ink(solid, column, row),
          bottom: row + 1 < solid.height ? ink(solid, column, row + 1) : Self.nothing)
      }
      return line.ended()
    }
  }

  private func ink(_ image: PixelBuffer, _ column: Int, _ row: Int) -> Ink {
    let color = image.pixel(x: column, y: row)
    guard color.alpha != 0 else { return Self.nothing }
    return depth == .indexed ? Ink(ColorDepth.index(of: color)) : Ink(color.rgb)
  }

  /// Returns the lines in the default text color: light pixels are ink, or dark ones on a light
  /// background.
  private func inkLines(_ image: PixelBuffer) -> [[UInt8]] {
    let isLight = background.map { PixelBuffer.light($0.red, $0.green, $0.blue) > 127 } ?? false
    let isInk = image.withoutHalfTones(over: background).ink(isDark: isLight)
    return stride(from: 0, to: image.height, by: 2).map { row in
      var line = ""
      for column in 0..<image.width {
        let at = row * image.width + column
        // Nothing is drawn below the last row.
        switch (isInk[at], row + 1 < image.height && isInk[at + image.width]) {
        case (false, false): line += " "
        case (true, false): line += "▀"
        case (false, true): line += "▄"
        case (true, true): line += "█"
        }
      }
      return Array(line.utf8)
    }
  }

  /// A line that is being written; colors are written only when they change.
  private struct Line {
    private let isIndexed: Bool
    private var bytes: [UInt8] = []
    private var front = HalfBlocks.nothing
    private var back = HalfBlocks.nothing
    private static let upper = Array("▀".utf8)
    private static let lower = Array("▄".utf8)

    init(isIndexed: Bool) { self.isIndexed = isIndexed }

    mutating func add(top: Ink, bottom: Ink) {
      if top == bottom {
        set(front: front, back: top)
        bytes.append(0x20)
      } else if bottom == HalfBlocks.nothing
        || (top != HalfBlocks.nothing && !isCheaperUpsideDown(top, bottom))
      {
        set(front: top, back: bottom)
        bytes += Self.upper
      } else {
        set(front: bottom, back: top)
        bytes += Self.lower
      }
    }

    func ended() -> [UInt8] {
      front == HalfBlocks.nothing && back == HalfBlocks.nothing
        ? bytes : bytes + Array("\u{1B}[0m".utf8)
    }

    private func isCheaperUpsideDown(_ top: Ink, _ bottom: Ink) -> Bool {
      func changes(_ newFront: Ink, _ newBack: Ink) -> Int {
        (newFront == front ? 0 : 1) + (newBack == back ? 0 : 1)
      }
      return changes(bottom, top) < changes(top, bottom)
    }

    private mutating func set(front newFront: Ink, back newBack: Ink) {
      var codes: [String] = []
      if newFront != front { codes.append(code(newFront, 38)) }
      if newBack != back { codes.append(newBack == HalfBlocks.nothing ? "49" : code(newBack, 48)) }
      if !codes.isEmpty { bytes += Array("\u{1B}[\(codes.joined(separator: ";"))m".utf8) }
      front = newFront
      back = newBack
    }

    private func code(_ ink: Ink, _ place: Int) -> String {
      isIndexed ? "\(place);5;\(ink)" : "\(place);2;\(ink >> 16);\(ink >> 8 & 255);\(ink & 255)"
    }
  }
}

extension PixelBuffer {
  /// Returns which pixels are ink where an image of opaque and transparent pixels has one color:
  /// the light ones, or as on paper the dark ones. Source: Floyd and Steinberg, "An Adaptive
  /// Algorithm for Spatial Greyscale", 1976.
  fileprivate func ink(isDark: Bool) -> [Bool] {
    var dots = Array(repeating: false, count: size.pixelCount)
    var errors = Array(repeating: 0, count: width + 2)
    for y in 0..<height {
      var next = Array(repeating: 0, count: width + 2)
      for x in 0..<width {
        let at = 4 * (y * width + x)
        guard bytes[at + 3] != 0 else { continue }
        let light = Self.light(bytes[at], bytes[at + 1], bytes[at + 2])
        let wanted = (isDark ? 255 - light : light) + errors[x + 1] / 16
        let isInk = wanted > 127
        dots[y * width + x] = isInk
        let error = wanted - (isInk ? 255 : 0)
        errors[x + 2] += 7 * error
        next[x] += 3 * error
        next[x + 1] += 5 * error
        next[x + 2] += error
      }
      errors = next
    }
    return dots
  }
}
