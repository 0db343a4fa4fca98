import ArgumentParser
import ImagePipeline
import TerminalGraphics

/// Room on a terminal as it is typed: `80x24`, columns by rows; a side of 0 is as large as the terminal.
struct CellRoom: ExpressibleByArgument, Hashable, Sendable {
  /// Columns and rows.
  let size: PixelSize

  init?(argument: String) {
    let sides = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
    guard sides.count == 2, let columns = sides[0], let rows = sides[1],
      (0...10_000).contains(columns), (0...10_000).contains(rows)
    else { return nil }
    size = PixelSize(width: columns, height: rows)
  }
}

/// A way to draw on a terminal as it is typed: `auto`, or one by its name.
struct MethodChoice: ExpressibleByArgument, Hashable, Sendable {
  /// `nil` takes the best that the terminal has.
  let method: GraphicsMethod?

  static let auto = MethodChoice(method: nil)
  static let allValueStrings = ["auto"] + GraphicsMethod.allCases.map(\.rawValue)

  private init(method: GraphicsMethod?) { self.method = method }

  init?(argument: String) {
    method = GraphicsMethod(rawValue: argument)
    if method == nil, argument != "auto" { return nil }
  }

  var defaultValueDescription: String { method?.rawValue ?? "auto" }
}
