import CPeers
import ImageCodecs

/// Decoding and encoding compared with the libraries called directly, with equal settings.
enum CodecComparisons {
  static let all = jpeg + png + webp + gif

  private static let jpeg = [
    reading(
      "decode JPEG 1200x800", beside: "libjpeg-turbo", { peer_jpeg_decode($0, $1) }, 12,
      mayCost: 1.5, files: { try Photographs.jpegs(Photographs.landscape) }),
    reading(
      "decode progressive JPEG 1200x800", beside: "libjpeg-turbo", { peer_jpeg_decode($0, $1) }, 4,
      mayCost: 1.5, files: { try Photographs.progressiveJPEGs() }),
    reading(
      "check and describe JPEG 1200x800", beside: "libjpeg-turbo decoding",
      { peer_jpeg_decode($0, $1) }, 12, mayCost: 1.3,
      files: { try Photographs.jpegs(Photographs.landscape) },
      ours: { try ImageCodecs.check($0.span.bytes, level: .decode).info.size.width }),
    Comparison(
      "encode JPEG 1200x800, one scan", beside: "libjpeg-turbo", count: 8, mayCost: 1.6
    ) {
      let pixels = Photographs.pixels(Photographs.landscape, seed: 1)
      var options = EncodingOptions()
      options.isProgressive = false
      return Contest { [options] count in
        for _ in 0..<count { consume(try ImageCodecs.encodeJPEG(pixels, options: options).count) }
      } limit: { count in
        for _ in 0..<count { consume(peer_jpeg_encode(pixels.bytes, 1200, 800, 80)) }
      }
    },
    Comparison(
      "decode JPEG 1200x800, 2 threads", beside: "1 thread", clock: .wall, count: 16
    ) {
      let files = try Photographs.jpegs(Photographs.landscape)
      return .scaling { index in
        let file = files[index % files.count]
        return (try? ImageCodecs.decode(file.span.bytes))?.width ?? 0
      }
    },
  ]

  private static let png = [
    reading(
      "decode PNG 1200x800", beside: "libpng", { peer_png_decode($0, $1) }, 2, mayCost: 0.65,
      files: { try Photographs.pngs() }),
    Comparison("encode PNG 1200x800", beside: "libpng", count: 1, mayCost: 1.6) {
      let pixels = Photographs.pixels(Photographs.landscape, seed: 1)
      return Contest { count in
        for _ in 0..<count { consume(try ImageCodecs.encodePNG(pixels).count) }
      } limit: { count in
        for _ in 0..<count { consume(peer_png_encode(pixels.bytes, 1200, 800, 3)) }
      }
    },
  ]

  private static let webp = [
    reading(
      "decode WebP 1200x800", beside: "libwebp", { peer_webp_decode($0, $1) }, 4, mayCost: 1.5,
      files: { try Photographs.webps() })
  ]

  private static let gif = [
    Comparison(
      "decode GIF, 6 frames of 320x240", beside: "DGifSlurp and drawing", count: 8, mayCost: 1.6
    ) {
      let file = try ImageCodecs.encodeGIF(Photographs.animation())
      return Contest { count in
        for _ in 0..<count {
          let reader = try FrameReader(file.span.bytes)
          while let frame = try reader.next(of: file.span.bytes) { consume(frame.pixels.width) }
        }
      } limit: { count in
        for _ in 0..<count { consume(Int(peer_gif_decode(file, file.count))) }
      }
    },
    Comparison(
      "encode GIF, 6 frames of 320x240", beside: "giflib, colours chosen already", count: 2
    ) {
      let frames = Photographs.animation()
      let file = try ImageCodecs.encodeGIF(frames)
      // An address, because pointers are not Sendable.
      let gif = UInt(bitPattern: peer_gif_open(file, file.count))
      return Contest { count in
        for _ in 0..<count { consume(try ImageCodecs.encodeGIF(frames).count) }
      } limit: { count in
        guard let gif = OpaquePointer(bitPattern: gif) else { return }
        for _ in 0..<count { consume(Int(peer_gif_encode(gif))) }
      } end: {
        if let gif = OpaquePointer(bitPattern: gif) { peer_gif_close(gif) }
      }
    },
  ]

  private typealias Peer = @Sendable (UnsafePointer<UInt8>, Int) -> UInt32

  /// Our work on each file in turn, compared with a peer's.
  private static func reading(
    _ name: String, beside limit: String, _ peer: @escaping Peer, _ count: Int, mayCost: Double,
    files: @escaping @Sendable () throws -> [[UInt8]],
    ours: @escaping @Sendable ([UInt8]) throws -> Int = {
      try ImageCodecs.decode($0.span.bytes).width
    }
  ) -> Comparison {
    Comparison(name, beside: limit, count: count, mayCost: mayCost) {
      let files = try files()
      return Contest { count in
        for index in 0..<count { consume(try ours(files[index % files.count])) }
      } limit: { count in
        for index in 0..<count {
          let file = files[index % files.count]
          consume(Int(peer(file, file.count)))
        }
      }
    }
  }
}
