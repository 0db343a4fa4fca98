@testable import ImageModel

/// An emulator of the terminal features this project uses: cells with colors and attributes,
/// cursor, automatic wrapping, rows that scrolled out, and the strings of graphics protocols.
struct TerminalScreen {
  /// Text attributes, by their SGR numbers.
  struct Attributes: OptionSet, Hashable {
    let rawValue: Int
    static let bold = Attributes(rawValue: 1)
    static let dim = Attributes(rawValue: 2)
    static let italic = Attributes(rawValue: 4)
    static let underlined = Attributes(rawValue: 8)
    static let inverse = Attributes(rawValue: 16)
  }

  /// The content of a cell. Colors are 0xRRGGBB or ``TerminalScreen/indexed(_:)``; `nil` is the
  /// terminal's default.
  struct Cell: Equatable {
    var letter: Unicode.Scalar = " "
    var marks = ""
    /// 2 for a wide letter; 0 for the cell that it covers, too.
    var width = 1
    var front: Int?
    var back: Int?
    var attributes: Attributes = []
  }

  struct Row: Equatable {
    var cells: [Cell]
    /// Whether its text continues in the next row by wrapping.
    var wraps = false
  }

  /// A protocol string, and the cursor position at that time.
  struct Command: Equatable {
    var kind: Character
    var body: String
    var column: Int
    var row: Int
    /// The number of rows that had scrolled out by then.
    var scrolledCount = 0
  }

  var columns: Int
  var rows: Int
  var lines: [Row]
  var history: [Row] = []
  var column = 0
  var row = 0
  var pen = Cell()
  var showsCursor = true
  var commands: [Command] = []
  /// Unknown sequences, and characters that a terminal should not receive.
  var unknown: [String] = []
  var saved = (column: 0, row: 0)
  var wrapsLines = true
  /// The begin of a character or sequence whose rest has not come yet.
  private var incomplete: [UInt8] = []

  /// The color of a number, 0 through 255.
  static func indexed(_ number: Int) -> Int { 1 << 24 | number }

  var cells: [[Cell]] { lines.map(\.cells) }
  var scrolledCount: Int { history.count }

  init(columns: Int = 80, rows: Int = 24) {
    self.columns = columns
    self.rows = rows
    lines = Array(
      repeating: Row(cells: Array(repeating: Cell(), count: columns)), count: rows)
  }

  func text(_ row: Int) -> String { Self.text(lines[row]) }

  static func text(_ row: Row) -> String {
    var text = ""
    for cell in row.cells where cell.width > 0 {
      text.unicodeScalars.append(cell.letter)
      text += cell.marks
    }
    while text.last == " " { text.removeLast() }
    return text
  }

  var texts: [String] { (0..<rows).map(text).filter { !$0.isEmpty } }

  /// All rows that are not empty, those that scrolled out first.
  var allTexts: [String] { (history + lines).map(Self.text).filter { !$0.isEmpty } }

  mutating func show(_ text: String) { show(Array(text.utf8)) }

  /// Shows output, which may end in the middle of a character or sequence: its rest is then the
  /// begin of the next output.
  mutating func show(_ bytes: [UInt8]) {
    let bytes = incomplete + bytes
    let complete = Self.completeLength(bytes)
    incomplete = Array(bytes[complete...])
    var rest = Array(String(decoding: bytes[..<complete], as: UTF8.self).unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      let before = rest
      switch scalar {
      case "\u{1B}":
        guard readEscape(&rest) else {
          incomplete = Array(String(String.UnicodeScalarView([scalar] + before)).utf8) + incomplete
          return
        }
      case "\r": column = 0
      case "\n": feed()
      case "\t": column = min(columns - 1, (column / 8 + 1) * 8)
      case "\u{7}": break
      default: put(scalar)
      }
    }
  }

  /// The bytes before a UTF-8 character whose end is missing.
  private static func completeLength(_ bytes: [UInt8]) -> Int {
    guard let start = bytes.lastIndex(where: { $0 & 0xC0 != 0x80 }) else { return bytes.count }
    let length = max(1, (~bytes[start]).leadingZeroBitCount)
    return bytes.count - start < length ? start : bytes.count
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let width = Self.width(scalar)
    guard width >= 0, !scalar.isBidiControl else {
      unknown.append("U+" + String(scalar.value, radix: 16, uppercase: true))
      return
    }
    if width == 0 {
      guard var at = column > 0 ? min(column, columns) - 1 : nil else { return }
      if lines[row].cells[at].width == 0 { at -= 1 }
      lines[row].cells[at].marks.unicodeScalars.append(scalar)
      return
    }
    if column + width > columns {
      if wrapsLines {
        lines[row].wraps = true
        column = 0
        feed()
      } else {
        column = columns - width
      }
    }
    var cell = pen
    (cell.letter, cell.width) = (scalar, width)
    lines[row].cells[column] = cell
    if width == 2 {
      (cell.letter, cell.width) = (" ", 0)
      lines[row].cells[column + 1] = cell
    }
    column += width
  }

  private mutating func feed() {
    if row < rows - 1 {
      row += 1
    } else {
      history.append(lines.removeFirst())
      lines.append(Row(cells: Array(repeating: Cell(), count: columns)))
    }
  }

  /// The cells of a letter, -1 for a control character.
  private static func width(_ scalar: Unicode.Scalar) -> Int {
    switch scalar.properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: return -1
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch scalar.value {
    case ..<0x1100: return 1
    // Hangul, CJK, forms for them, and their extensions.
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3,
      0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
      0x20000...0x3FFFD:
      return 2
    default: return scalar.properties.isEmojiPresentation ? 2 : 1
    }
  }

  /// The colors of the two pixels of a half-block cell, the upper one first.
  func pixels(column: Int, row: Int) -> [Int?] {
    let cell = lines[row].cells[column]
    switch cell.letter {
    case "▀": return [cell.front, cell.back]
    case "▄": return [cell.back, cell.front]
    case "█": return [cell.front, cell.front]
    default: return [cell.back, cell.back]
    }
  }
}

extension Unicode.Scalar {
  /// Whether it changes the direction of the text after it.
  fileprivate var isBidiControl: Bool {
    (0x202A...0x202E).contains(value) || (0x2066...0x2069).contains(value)
  }
}
