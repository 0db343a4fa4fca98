import ImageModel

/// Draws the sample images: pleasant to look at, and cheap.
struct SampleCanvas {
  let size: PixelSize
  private let palette: SamplePalette
  private var random: SplitMix64

  init(size: PixelSize, name: String) {
    self.size = size
    random = SplitMix64(name: name)
    palette = SamplePalette.all[random.index(below: SamplePalette.all.count)]
  }

  var accent: SampleColor { palette.sky.0.mixed(with: palette.hills.0, 0.5) }

  /// Hills before a sky with a sun or moon. A rough grain, 0 through 1, costs bytes in a JPEG.
  mutating func landscape(grain: Float) -> PixelBuffer {
    let layers = 4
    let heights = (0..<layers).map { ridge(layer: $0, of: layers) }
    let colors = (0..<layers).map {
      palette.hills.0.mixed(with: palette.hills.1, Float($0) / Float(layers - 1))
    }
    let sunX = random.value(0.15...0.85) * Float(size.width)
    let sunY = random.value(0.12...0.45) * Float(size.height)
    let sunRadius = random.value(0.04...0.09) * Float(size.width)
    let (paints, width, height) = (palette, size.width, size.height)
    var noise = random.next() | 1
    let roughness = grain * 48

    return PixelBuffer(
      size: size,
      filledBy: { room in
        for y in 0..<height {
          let sky = paints.sky.0.mixed(with: paints.sky.1, min(1, Float(y) / Float(height) * 1.4))
          let squaredY = (Float(y) - sunY) * (Float(y) - sunY)
          for x in 0..<width {
            var color = sky
            var layer = layers - 1
            while layer >= 0, y < heights[layer][x] { layer -= 1 }
            var rough: Float = 0.25
            if layer >= 0 {
              let depth = min(1, Float(y - heights[layer][x]) / Float(height) * 3)
              color = colors[layer].mixed(with: paints.sky.1, 0.22 * (1 - depth))
              rough = 1
            } else {
              let distance = squaredY + (Float(x) - sunX) * (Float(x) - sunX)
              let radius = sunRadius * sunRadius
              color = color.mixed(
                with: paints.light, distance < radius ? 1 : min(0.6, 0.5 * radius / distance))
            }
            noise ^= noise << 13
            noise ^= noise >> 7
            noise ^= noise << 17
            let offset = (Float(noise & 255) / 255 - 0.5) * roughness * rough
            Self.put(color, plus: offset, at: (y * width + x) * 4, in: room)
          }
        }
      })
  }

  /// Large round lights before a calm ground, without grain: what PNG and GIF keep well. A film
  /// goes through phases, 0 through 1.
  func lights(phase: Float = 0, isCutOut: Bool = false) -> PixelBuffer {
    var random = random
    let (width, height) = (size.width, size.height)
    let lights = (0..<7).map { number in
      let x = random.value(0...1) * Float(width)
      let start = random.value(0...1) * Float(height)
      let radius = random.value(0.06...0.2) * Float(min(width, height))
      // Rises by the phase, and comes in again from below; whole turns only, so that a loop has no
      // seam.
      let (speed, room) = (Float(1 + number % 2), Float(height) + 2 * radius)
      let y = (start + radius - phase * speed * room).truncatingRemainder(dividingBy: room)
      return Light(
        x: x, y: (y < 0 ? y + room : y) - radius, radius: radius,
        color: palette.light.mixed(with: palette.hills.0, Float(number) / 8))
    }
    let bands = 12
    return PixelBuffer(
      size: size,
      filledBy: { room in
        for y in 0..<height {
          let band = Float(y * bands / max(1, height)) / Float(bands)
          let ground = palette.sky.0.mixed(with: palette.sky.1, band)
          for x in 0..<width {
            let place = (y * width + x) * 4
            if let light = lights.last(where: { $0.covers(Float(x), Float(y)) }) {
              Self.put(light.color, plus: 0, at: place, in: room)
            } else if !isCutOut {
              Self.put(ground, plus: 0, at: place, in: room)
            }
          }
        }
      })
  }

  private struct Light {
    var x: Float
    var y: Float
    var radius: Float
    var color: SampleColor

    func covers(_ x: Float, _ y: Float) -> Bool {
      (x - self.x) * (x - self.x) + (y - self.y) * (y - self.y) < radius * radius
    }
  }

  /// For each column, the row at which a layer of hills begins: smooth noise of four sizes.
  private mutating func ridge(layer: Int, of layers: Int) -> [Int] {
    let base = Float(size.height) * (0.48 + 0.42 * Float(layer) / Float(layers))
    var rows = [Float](repeating: base, count: size.width)
    var amplitude = Float(size.height) * 0.13
    var step = max(2, size.width / 2)
    for _ in 0..<4 {
      let knots = (0...(size.width / step + 1)).map { _ in random.value(-1...1) }
      for x in 0..<size.width {
        let part = Float(x % step) / Float(step)
        let smooth = part * part * (3 - 2 * part)
        let left = knots[x / step]
        rows[x] += amplitude * (left + (knots[x / step + 1] - left) * smooth)
      }
      amplitude /= 2.2
      step = max(2, step / 2)
    }
    return rows.map { Int($0) }
  }

  private static func put(
    _ color: SampleColor, plus offset: Float, at place: Int, in room: UnsafeMutableRawBufferPointer
  ) {
    room[place] = UInt8(min(255, max(0, color.red + offset)))
    room[place + 1] = UInt8(min(255, max(0, color.green + offset)))
    room[place + 2] = UInt8(min(255, max(0, color.blue + offset)))
    room[place + 3] = 255
  }
}

extension SplitMix64 {
  init(name: String) { self.init(seed: Self.seed(of: name)) }

  /// Returns the hash FNV-1a of a name.
  static func seed(of name: String) -> UInt64 {
    name.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  mutating func value(_ range: ClosedRange<Float>) -> Float {
    range.lowerBound + (range.upperBound - range.lowerBound) * Float(next() >> 40) / Float(1 << 24)
  }

  mutating func index(below bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }
}
