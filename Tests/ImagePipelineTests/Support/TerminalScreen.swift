@testable import ImagePipeline

/// A terminal as far as this project speaks to one: cells, cursor, colours, and the strings of the
/// graphics protocols.
struct TerminalScreen {
  /// What a cell shows. Colours are 0xRRGGBB, or the number of an indexed one; `nil` is the
  /// terminal's own.
  struct Cell: Equatable {
    var letter: Unicode.Scalar = " "
    var front: Int?
    var back: Int?
  }

  /// A string of a protocol, and where the cursor was when it came.
  struct Command: Equatable {
    var kind: Character
    var body: String
    var column: Int
    var row: Int
  }

  let columns: Int
  let rows: Int
  private(set) var cells: [[Cell]]
  private(set) var column = 0
  private(set) var row = 0
  /// What the colours are now.
  private(set) var pen = Cell()
  private(set) var showsCursor = true
  /// Rows that went out at the top.
  private(set) var scrolledCount = 0
  private(set) var commands: [Command] = []
  /// What was not understood.
  private(set) var unknown: [String] = []
  private var saved = (column: 0, row: 0)

  init(columns: Int = 80, rows: Int = 24) {
    self.columns = columns
    self.rows = rows
    cells = Array(repeating: Array(repeating: Cell(), count: columns), count: rows)
  }

  /// The letters of a row, without spaces at its end.
  func text(_ row: Int) -> String {
    var text = String(String.UnicodeScalarView(cells[row].map(\.letter)))
    while text.last == " " { text.removeLast() }
    return text
  }

  /// All rows that are not empty.
  var texts: [String] { (0..<rows).map(text).filter { !$0.isEmpty } }

  mutating func show(_ bytes: [UInt8]) {
    var rest = Array(String(decoding: bytes, as: UTF8.self).unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\u{1B}": readEscape(&rest)
      case "\r": column = 0
      case "\n": feed()
      case "\u{7}": break
      default: put(scalar)
      }
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    if column == columns {
      column = 0
      feed()
    }
    cells[row][column] = Cell(letter: scalar, front: pen.front, back: pen.back)
    column += 1
  }

  private mutating func feed() {
    if row < rows - 1 {
      row += 1
    } else {
      cells.removeFirst()
      cells.append(Array(repeating: Cell(), count: columns))
      scrolledCount += 1
    }
  }

  private mutating func readEscape(_ rest: inout ArraySlice<Unicode.Scalar>) {
    guard let kind = rest.popFirst() else { return }
    switch kind {
    case "7": saved = (column, row)
    case "8": (column, row) = saved
    case "[":
      var body = ""
      while let scalar = rest.popFirst() {
        body.unicodeScalars.append(scalar)
        if (0x40...0x7E).contains(scalar.value) { break }
      }
      control(body)
    case "]", "_", "P":
      var body = ""
      while let scalar = rest.popFirst() {
        if scalar == "\u{7}" { break }
        if scalar == "\u{1B}", rest.first == "\\" {
          rest.removeFirst()
          break
        }
        body.unicodeScalars.append(scalar)
      }
      commands.append(Command(kind: Character(kind), body: body, column: column, row: row))
    default: unknown.append("ESC \(kind)")
    }
  }

  private mutating func control(_ body: String) {
    let number = Int(body.dropLast()) ?? 1
    switch (body.first, body.last) {
    case ("?", "h"), ("?", "l"):
      if body.dropFirst().dropLast() == "25" { showsCursor = body.last == "h" }
    case (_, "A"): row = max(0, row - number)
    case (_, "B"): row = min(rows - 1, row + number)
    case (_, "K"): clear(row, from: column)
    case (_, "J"):
      clear(row, from: column)
      for below in row + 1..<max(rows, row + 1) { clear(below, from: 0) }
    case (_, "m"): paint(body.dropLast().split(separator: ";").map { Int($0) ?? 0 })
    case (_, "c"), (_, "t"): break
    default: unknown.append("CSI \(body)")
    }
  }

  private mutating func clear(_ row: Int, from first: Int) {
    for column in first..<max(columns, first) { cells[row][column] = Cell() }
  }

  private mutating func paint(_ codes: [Int]) {
    var rest = codes[...]
    while let code = rest.popFirst() {
      switch code {
      case 0: pen = Cell()
      case 49: pen.back = nil
      case 39: pen.front = nil
      case 38, 48:
        let isIndexed = rest.popFirst() == 5
        let samples = Array(rest.prefix(isIndexed ? 1 : 3))
        rest = rest.dropFirst(samples.count)
        let color = samples.reduce(0) { $0 << 8 | $1 }
        if code == 38 { pen.front = color } else { pen.back = color }
      default: unknown.append("SGR \(code)")
      }
    }
  }

  /// The colours of the two pixels of a cell of half blocks, the upper one first.
  func pixels(column: Int, row: Int) -> [Int?] {
    let cell = cells[row][column]
    switch cell.letter {
    case "▀": return [cell.front, cell.back]
    case "▄": return [cell.back, cell.front]
    case "█": return [cell.front, cell.front]
    default: return [cell.back, cell.back]
    }
  }
}
