import TerminalGraphics

struct TableColumns {
  /// With too little room, columns with an expendability above 0 are left out, the lowest first.
  struct Column {
    let head: String
    var expendability = 0
    let cells: [String]

    var width: Int {
      cells.reduce(TextColumns.count(head)) { max($0, TextColumns.count($1)) }
    }
  }

  let columns: [Column]

  /// Returns lines of at most `width` columns, as far as columns can be left out.
  func text(width: Int) -> String {
    var (shown, left) = (columns, [String]())
    while shown.reduce(-2, { $0 + $1.width + 2 }) > width,
      let next = shown.filter({ $0.expendability > 0 }).min(by: {
        $0.expendability < $1.expendability
      })
    {
      shown.removeAll { $0.head == next.head }
      left.append(next.head)
    }
    func row(_ cell: (Column) -> String) -> String {
      shown.enumerated().map { index, column in
        let text = cell(column)
        let gap = String(repeating: " ", count: column.width - TextColumns.count(text))
        return index == 0 ? text + gap : gap + text
      }.joined(separator: "  ")
    }
    var lines = [row(\.head)] + columns[0].cells.indices.map { index in row { $0.cells[index] } }
    if !left.isEmpty { lines.append("(no room for \(left.enumerated); --format csv has them)") }
    return lines.joined(separator: "\n") + "\n"
  }
}
