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
    webp(to: .jpeg), webp(to: .webp),
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
      let (chosen, effort) = (recipe, format == .webp ? Int32(WebPEncodingOptions().effort) : -1)
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
