import Comparisons
import Foundation
import ImageCodecs
import ImageFetching
import ImageModel
import ThumbnailServer

/// The server inside this process, over real connections; the client's cost is in both sides,
/// so ratios are nearer to 1 than the servers'. `$IMGCACHE_FIXTURES/peers/serve_bench.sh` compares
/// the program with nginx and others.
enum ServeComparisons {
  static let all = [
    Comparison(
      "a thumbnail of 200x200 from memory", beside: "a socket that sends as many bytes", count: 2000
    ) {
      let scene = try await ServedPictures()
      let target = scene.target(0)
      let client = try KeptConnection(port: scene.port)
      let byteCount = await client.get([target])
      precondition(byteCount > 1000)
      let bare = try LoopbackOrigin(bodies: [
        [UInt8](repeating: 7, count: byteCount - LoopbackOrigin.tailByteCount)
      ])
      let plain = try KeptConnection(port: bare.port)
      return Contest { count in
        let shortest = await client.get(Array(repeating: target, count: count))
        precondition(shortest == byteCount)
      } limit: { count in
        let shortest = await plain.get(Array(repeating: "/0", count: count))
        precondition(shortest == byteCount)
      } end: {
        bare.stop()
        await scene.end()
      }
    },
    Comparison(
      "a thumbnail of 200x200, from a picture of 640x480 at the origin",
      beside: "HTTPFetcher and the thumbnail, nothing kept", count: 40
    ) {
      let scene = try await ServedPictures()
      let client = try KeptConnection(port: scene.port)
      let recipe = ThumbnailRecipe(size: PixelSize(width: 200, height: 200))
      return Contest { count in
        let shortest = await client.get((0..<count).map { _ in scene.target(scene.rounds.next()) })
        precondition(shortest > 1000)
      } limit: { count in
        for _ in 0..<count {
          let url = scene.url(scene.rounds.next())
          let bytes = try await scene.fetcher.fetch(FetchRequest(url: url)).body.bytes()
          consume(try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe).bytes.count)
        }
      } end: {
        await scene.end()
      }
    },
  ]
}
