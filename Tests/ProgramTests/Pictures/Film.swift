import Foundation
import ImageCodecs
import ImageModel

/// Frames of a recording, each with the time that it shows.
struct Film {
  private var frames: [AnimationFrame] = []

  /// The time that all frames take.
  var length: Duration { frames.reduce(.zero) { $0 + $1.delay } }

  /// Adds a screenshot; one that equals the frame before makes that one longer.
  mutating func add(_ png: Data, for time: Duration) throws {
    let pixels = try ImageCodecs.decode([UInt8](png).span.bytes)
    if let last = frames.last, last.pixels == pixels {
      frames[frames.count - 1].delay += time
    } else {
      frames.append(AnimationFrame(pixels: pixels, delay: time))
    }
  }

  /// Adds several.
  mutating func add(_ pictures: [(Data, Duration)]) throws {
    for (png, time) in pictures { try add(png, for: time) }
  }

  /// Writes the frames as an animated WebP, without loss: text stays sharp, and what does not change
  /// between frames takes no room.
  func write(to path: String) throws {
    var options = WebPEncodingOptions()
    options.isLossless = true
    options.effort = 6
    let bytes = try ImageCodecs.encodeWebP(frames, options: options)
    try Data(bytes).write(to: URL(fileURLWithPath: path))
    print("\(path): \(frames.count) frames, \(length), \(bytes.count) bytes")
  }
}
