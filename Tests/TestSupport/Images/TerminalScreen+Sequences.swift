extension TerminalScreen {
  /// Carries out the sequence after an escape, or returns `false` if its end is missing.
  mutating func readEscape(_ rest: inout ArraySlice<Unicode.Scalar>) -> Bool {
    guard let kind = rest.popFirst() else { return false }
    switch kind {
    case "7": saved = (column, row)
    case "8": (column, row) = saved
    case "[":
      guard let end = rest.firstIndex(where: { (0x40...0x7E).contains($0.value) }) else {
        return false
      }
      control(String(String.UnicodeScalarView(rest[...end])))
      rest = rest[(end + 1)...]
    case "]", "_", "P":
      var body = ""
      while true {
        guard let scalar = rest.popFirst() else { return false }
        if scalar == "\u{7}" { break }
        if scalar == "\u{1B}", rest.first == "\\" {
          rest.removeFirst()
          break
        }
        body.unicodeScalars.append(scalar)
      }
      commands.append(
        Command(
          kind: Character(kind), body: body, column: column, row: row,
          scrolledCount: scrolledCount))
    default: unknown.append("ESC \(kind)")
    }
    return true
  }

  private mutating func control(_ body: String) {
    let number = Int(body.dropLast()) ?? 1
    switch (body.first, body.last) {
    case ("?", "h"), ("?", "l"):
      let isOn = body.last == "h"
      switch body.dropFirst().dropLast() {
      case "25": showsCursor = isOn
      case "7": wrapsLines = isOn
      default: break
      }
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
    for column in first..<max(columns, first) { lines[row].cells[column] = Cell() }
    lines[row].wraps = false
  }

  private mutating func paint(_ codes: [Int]) {
    if codes.isEmpty { pen = Cell() }
    var rest = codes[...]
    while let code = rest.popFirst() {
      switch code {
      case 0: pen = Cell()
      case 1: pen.attributes.insert(.bold)
      case 2: pen.attributes.insert(.dim)
      case 3: pen.attributes.insert(.italic)
      case 4: pen.attributes.insert(.underlined)
      case 7: pen.attributes.insert(.inverse)
      case 22: pen.attributes.subtract([.bold, .dim])
      case 23: pen.attributes.remove(.italic)
      case 24: pen.attributes.remove(.underlined)
      case 27: pen.attributes.remove(.inverse)
      case 30...37: pen.front = Self.indexed(code - 30)
      case 40...47: pen.back = Self.indexed(code - 40)
      case 90...97: pen.front = Self.indexed(code - 82)
      case 100...107: pen.back = Self.indexed(code - 92)
      case 39: pen.front = nil
      case 49: pen.back = nil
      case 38, 48:
        let isIndexed = rest.popFirst() == 5
        let samples = Array(rest.prefix(isIndexed ? 1 : 3))
        rest = rest.dropFirst(samples.count)
        let value = samples.reduce(0) { $0 << 8 | $1 }
        let color = isIndexed ? Self.indexed(value) : value
        if code == 38 { pen.front = color } else { pen.back = color }
      default: unknown.append("SGR \(code)")
      }
    }
  }
}
