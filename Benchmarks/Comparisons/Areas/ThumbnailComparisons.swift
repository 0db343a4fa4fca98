import CPeers
import ImageCodecs
import ImageModel

/// From a file to the file of its thumbnail, compared with the lower bound: the decoding at
/// the DCT scale that leaves twice the target size, and the encoding. The filter
/// between them is the difference.
///
/// Other programs (libvips, Pillow) are measured by `$IMGCACHE_FIXTURES/peers/thumb_bench.py`, on
/// the folder that `BENCHMARK_PHOTOS` names here.
enum ThumbnailComparisons {
  static let all = [
    jpeg(PixelSize(width: 640, height: 480), scale: 1, count: 20, mayCost: 4),
    jpeg(Photographs.landscape, scale: 2, count: 12, mayCost: 2.5),
    jpeg(PixelSize(width: 4000, height: 3000), scale: 4, count: 1, mayCost: 2.5),
    Comparison(
      "PNG 1200x800 → 200x200", beside: "libpng decoding alone", count: 2, mayCost: 0.7
    ) {
      let files = try Photographs.pngs()
      let recipe = ThumbnailRecipe(size: PixelSize(width: 200, height: 200))
      return Contest { count in
        for index in 0..<count {
          let file = files[index % files.count]
          consume(try ImageCodecs.thumbnail(of: file.span.bytes, recipe: recipe).bytes.count)
        }
      } limit: { count in
        for index in 0..<count {
          let file = files[index % files.count]
          consume(Int(peer_png_decode(file, file.count)))
        }
      }
    },
    webp(to: .jpeg), webp(to: .webp), displayP3,
    Comparison(
      "JPEG 1200x800 with a profile of sRGB → 200x200", beside: "the same without it", count: 12,
      mayCost: 1.1
    ) {
      let (plain, described) = (try jpegs(profile: []), try jpegs(profile: profile(isWide: false)))
      return Contest {
        try thumbnails($0, of: described)
      } limit: {
        try thumbnails($0, of: plain)
      }
    },
    Comparison(
      "JPEG 1200x800 → 200x200, 2 threads", beside: "1 thread", clock: .wall, count: 24
    ) {
      let files = try Photographs.jpegs(Photographs.landscape)
      let recipe = ThumbnailRecipe(size: PixelSize(width: 200, height: 200))
      return .scaling { index in
        let file = files[index % files.count]
        return (try? ImageCodecs.thumbnail(of: file.span.bytes, recipe: recipe).bytes.count) ?? 0
      }
    },
  ]

  /// The conversion may cost 1.2 times what Little CMS takes for the pixels of the result.
  private static let displayP3 = Comparison(
    "JPEG 1200x800 of Display P3 → 200x200",
    beside: "without conversion, and Little CMS on 1.2 times its pixels", count: 12, mayCost: 1.03
  ) {
    let wide = profile(isWide: true)
    let files = try jpegs(profile: wide)
    let pixelCount = 200 * 200 * 12 / 10
    // An address, because pointers are not Sendable.
    let transform = Int(bitPattern: peer_color_open(wide, wide.count))
    return Contest {
      try thumbnails($0, of: files)
    } limit: { count in
      try thumbnails(count, of: files, profile: .drop)
      guard let transform = UnsafeMutableRawPointer(bitPattern: transform) else { return }
      var pixels = Photographs.pixels(PixelSize(width: 240, height: 200), seed: 1).bytes
      for _ in 0..<count { consume(Int(peer_color_convert(transform, &pixels, pixelCount))) }
    }
  }

  private static func profile(isWide: Bool) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 1024) { room, count in
      count = room.baseAddress.map { peer_profile(isWide ? 1 : 0, $0) } ?? 0
    }
  }

  private static func jpegs(profile: [UInt8]) throws -> [[UInt8]] {
    var options = EncodingOptions(quality: 85)
    if !profile.isEmpty { options.iccProfile = profile }
    let chosen = options
    return try ([1, 2] as [UInt64]).map {
      try ImageCodecs.encodeJPEG(
        Photographs.pixels(Photographs.landscape, seed: $0), options: chosen)
    }
  }

  private static func thumbnails(
    _ count: Int, of files: [[UInt8]], profile: ProfileTreatment = .convert
  ) throws {
    var recipe = ThumbnailRecipe(size: PixelSize(width: 200, height: 200))
    recipe.profile = profile
    for index in 0..<count {
      let file = files[index % files.count]
      consume(try ImageCodecs.thumbnail(of: file.span.bytes, recipe: recipe).bytes.count)
    }
  }

  private static func jpeg(
    _ source: PixelSize, scale: Int32, count: Int, mayCost: Double
  ) -> Comparison {
    let ours = "JPEG \(source.width)x\(source.height) → 200x200"
    return Comparison(
      ours, beside: "libjpeg-turbo, 1/\(scale) and encoding", count: count, mayCost: mayCost
    ) {
      let files = try Photographs.jpegs(source, count: source.width > 2000 ? 1 : 4)
      let recipe = ThumbnailRecipe(size: PixelSize(width: 200, height: 200))
      return Contest { count in
        for index in 0..<count {
          let file = files[index % files.count]
          consume(try ImageCodecs.thumbnail(of: file.span.bytes, recipe: recipe).bytes.count)
        }
      } limit: { count in
        for index in 0..<count {
          let file = files[index % files.count]
          consume(peer_jpeg_thumbnail(file, file.count, scale, 200, 80))
        }
      }
    }
  }

  private static func webp(to format: ImageFormat) -> Comparison {
    let name = format == .webp ? "WebP" : "JPEG"
    return Comparison(
      "WebP 1200x800 → \(name) 200x200", beside: "libwebp decoding and encoding alone", count: 4,
      mayCost: 1.6
    ) {
      let files = try Photographs.webps()
      var recipe = ThumbnailRecipe(size: PixelSize(width: 200, height: 200))
      recipe.format = format
      let (chosen, effort) = (recipe, format == .webp ? 3 : Int32(-1))
      return Contest { count in
        for index in 0..<count {
          let file = files[index % files.count]
          consume(try ImageCodecs.thumbnail(of: file.span.bytes, recipe: chosen).bytes.count)
        }
      } limit: { count in
        for index in 0..<count {
          let file = files[index % files.count]
          consume(peer_webp_thumbnail(file, file.count, 200, 80, effort))
        }
      }
    }
  }
}
