extension TerminalScreen {
  /// - Parameter reflows: Whether lines that were wrapped are joined and wrapped again, and the
  ///   cursor stays at its character, as in VTE, kitty and foot; else rows are cut or padded at
  ///   their right, as in xterm.
  mutating func resize(columns newColumns: Int, rows newRows: Int, reflows: Bool = true) {
    var (all, cursor) = (history + lines, (row: history.count + row, column: column))
    if reflows {
      (all, cursor) = Self.wrapped(Self.logical(all, cursor), columns: newColumns)
    } else {
      for index in all.indices {
        all[index].cells = Self.padded(Array(all[index].cells.prefix(newColumns)), newColumns)
      }
      cursor.column = min(cursor.column, newColumns - 1)
    }
    let last = all.lastIndex { $0.cells.contains { $0 != Cell() } } ?? 0
    let used = max(last, cursor.row) + 1
    // The last row stays visible, and the cursor in any case.
    let top =
      reflows
      ? min(cursor.row, max(0, used - newRows))
      : max(history.count, cursor.row - newRows + 1)
    history = Array(all[..<top])
    lines = Array(all[top...].prefix(newRows))
    while lines.count < newRows { lines.append(Row(cells: Self.padded([], newColumns))) }
    (columns, rows) = (newColumns, newRows)
    (row, column) = (cursor.row - top, cursor.column)
    saved = (min(saved.column, columns - 1), min(saved.row, rows - 1))
  }

  private struct LogicalLines {
    var lines: [[Cell]] = [[]]
    var cursor = (line: 0, offset: 0)
  }

  /// Joins the rows of each line, and removes the blanks at its end.
  private static func logical(
    _ rows: [Row], _ cursor: (row: Int, column: Int)
  ) -> LogicalLines {
    var result = LogicalLines()
    for (index, row) in rows.enumerated() {
      let last = result.lines.count - 1
      if index == cursor.row {
        result.cursor = (last, result.lines[last].count + cursor.column)
      }
      result.lines[last] += row.cells
      if row.wraps { continue }
      let least = result.cursor.line == last ? result.cursor.offset : 0
      while result.lines[last].count > least, result.lines[last].last == Cell() {
        result.lines[last].removeLast()
      }
      if index < rows.count - 1 { result.lines.append([]) }
    }
    return result
  }

  private static func wrapped(
    _ logical: LogicalLines, columns: Int
  ) -> (rows: [Row], cursor: (row: Int, column: Int)) {
    var rows: [Row] = []
    var cursor = (row: 0, column: 0)
    for (number, line) in logical.lines.enumerated() {
      let first = rows.count
      var rest = line[...]
      repeat {
        var piece = rest.prefix(columns)
        // A wide letter has no room for its second half.
        if piece.last?.width == 2, piece.count > 1 { piece.removeLast() }
        rest = rest.dropFirst(piece.count)
        rows.append(Row(cells: padded(Array(piece), columns), wraps: !rest.isEmpty))
      } while !rest.isEmpty
      if number == logical.cursor.line {
        let row = min(first + logical.cursor.offset / columns, rows.count - 1)
        cursor = (row, logical.cursor.offset - (row - first) * columns)
      }
    }
    return (rows, cursor)
  }

  private static func padded(_ cells: [Cell], _ columns: Int) -> [Cell] {
    cells + Array(repeating: Cell(), count: max(0, columns - cells.count))
  }
}
