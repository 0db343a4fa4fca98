import ImageCodecs
import ImageFeeds
import ImageModel

/// An image of the sample days. Nothing is stored: the same name gives the same bytes.
struct SampleImage: Sendable, Hashable {
  enum Kind: String, Sendable, CaseIterable {
    /// Beside a story in the list: JPEG, 150 × 150, some 5 kB.
    case thumb
    /// The same as a PNG.
    case drawing
    /// The same as a GIF of 12 frames.
    case loop
    /// Of a top story: JPEG, 640 × 640, some 50 kB.
    case top
    /// In a text: JPEG, 600 × 400.
    case photo
    /// In a text: PNG with a transparent ground, 480 × 320.
    case cutout
    /// In a text: GIF of 10 frames, 320 × 240.
    case film
    /// Beside an author's name: JPEG, 50 × 50; the same in many texts.
    case avatar
  }

  var kind: Kind
  var day: DayKey
  var number: Int

  init(_ kind: Kind, day: DayKey, number: Int) {
    self.kind = kind
    self.day = day
    self.number = number
  }

  /// Reads a path such as `/pictures/20260105/thumb-3.jpg`; `nil` for any other.
  init?(path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].isEmpty, parts[1] == "pictures",
      let day = DayKey(String(parts[2])),
      let dash = parts[3].firstIndex(of: "-"), let dot = parts[3].firstIndex(of: "."), dash < dot,
      let kind = Kind(rawValue: String(parts[3][..<dash])),
      let number = Int(parts[3][parts[3].index(after: dash)..<dot])
    else { return nil }
    self.init(kind, day: day, number: number)
    guard self.path == path else { return nil }
  }

  var path: String { "/pictures/\(day)/\(name)" }

  private var name: String { "\(kind.rawValue)-\(number).\(format.fileExtension)" }

  var format: ImageFormat {
    switch kind {
    case .thumb, .top, .photo, .avatar: .jpeg
    case .drawing, .cutout: .png
    case .loop, .film: .gif
    }
  }

  var size: PixelSize {
    switch kind {
    case .thumb, .drawing, .loop: PixelSize(width: 150, height: 150)
    case .top: PixelSize(width: 640, height: 640)
    case .photo: PixelSize(width: 600, height: 400)
    case .cutout: PixelSize(width: 480, height: 320)
    case .film: PixelSize(width: 320, height: 240)
    case .avatar: PixelSize(width: 50, height: 50)
    }
  }

  var hue: String { SampleCanvas(size: size, name: path).accent.hue }

  /// Draws and encodes it: a few milliseconds, a film some tens.
  func bytes() throws(ImageError) -> [UInt8] {
    var canvas = SampleCanvas(size: size, name: path)
    switch kind {
    case .thumb, .avatar:
      return try ImageCodecs.encodeJPEG(canvas.landscape(grain: 0.72))
    case .top, .photo:
      return try ImageCodecs.encodeJPEG(canvas.landscape(grain: 0.48))
    case .drawing:
      return try ImageCodecs.encodePNG(canvas.lights())
    case .cutout:
      return try ImageCodecs.encodePNG(canvas.lights(isCutOut: true))
    case .loop:
      return try film(canvas, frames: 12, delay: .milliseconds(80))
    case .film:
      return try film(canvas, frames: 10, delay: .milliseconds(100))
    }
  }

  private func film(
    _ canvas: SampleCanvas, frames: Int, delay: Duration
  ) throws(ImageError) -> [UInt8] {
    let images = (0..<frames).map {
      AnimationFrame(pixels: canvas.lights(phase: Float($0) / Float(frames)), delay: delay)
    }
    return try ImageCodecs.encodeGIF(images)
  }
}
