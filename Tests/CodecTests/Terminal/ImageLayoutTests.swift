import ImageModel
import Testing

@testable import TerminalGraphics

@Suite struct `Layout on a terminal` {
  static let cells: [PixelSize?] = [
    nil, PixelSize(width: 8, height: 16), PixelSize(width: 9, height: 21),
    PixelSize(width: 20, height: 20),
  ]

  @Test(arguments: GraphicsMethod.allCases, Self.cells)
  func `a picture keeps inside its room and keeps its shape`(
    method: GraphicsMethod, cell: PixelSize?
  ) {
    let profile = TerminalProfile(columns: 80, rows: 24, cell: cell, method: method)
    let used = cell ?? ImageLayout.usualCell
    let pixel =
      method == .blocks
      ? (width: Double(used.width), height: Double(used.height) / 2) : (width: 1, height: 1)

    for width in [1, 2, 7, 40, 80, 333, 1000, 9000] {
      for height in [1, 3, 24, 48, 500, 8000] {
        for (columns, rows) in [(1, 1), (80, 23), (40, 10), (200, 3)] {
          for enlarges in [false, true] {
            let layout = ImageLayout(
              PixelSize(width: width, height: height), columns: columns, rows: rows, on: profile,
              enlarges: enlarges)
            #expect((1...columns).contains(layout.columns) && (1...rows).contains(layout.rows))
            #expect(layout.pixels.width >= 1 && layout.pixels.height >= 1)
            if !enlarges {
              #expect(layout.pixels.width <= width && layout.pixels.height <= max(1, height))
            }
            // Each side is rounded to a pixel, so the shape is kept to half a pixel of each.
            let shown = (
              width: Double(layout.pixels.width) * pixel.width,
              height: Double(layout.pixels.height) * pixel.height
            )
            let wanted = Double(width) / Double(height)
            let least =
              max(0, shown.width - 0.51 * pixel.width) / (shown.height + 0.51 * pixel.height)
            let most =
              (shown.width + 0.51 * pixel.width) / max(0.01, shown.height - 0.51 * pixel.height)
            if layout.pixels.width > 1, layout.pixels.height > 1 {
              #expect((least...most).contains(wanted), "\(width)x\(height) became \(layout.pixels)")
            }
          }
        }
      }
    }
  }

  @Test func `an enlarged picture meets its room`() {
    let profile = TerminalProfile(columns: 80, rows: 24, cell: PixelSize(width: 10, height: 20))

    let wide = ImageLayout(
      PixelSize(width: 4, height: 1), columns: 80, rows: 24, on: profile, enlarges: true)
    let high = ImageLayout(
      PixelSize(width: 1, height: 4), columns: 80, rows: 24, on: profile, enlarges: true)

    #expect(wide.columns == 80 && wide.pixels == PixelSize(width: 80, height: 20))
    #expect(high.rows == 24 && high.pixels == PixelSize(width: 12, height: 48))
  }

  @Test func `graphics cover whole cells, the last of them in part`() {
    let profile = TerminalProfile(
      columns: 80, rows: 24, cell: PixelSize(width: 8, height: 16), method: .sixel)

    let layout = ImageLayout(PixelSize(width: 17, height: 33), columns: 80, rows: 23, on: profile)

    #expect(layout.pixels == PixelSize(width: 17, height: 33))
    #expect(layout.columns == 3 && layout.rows == 3)
  }
}
