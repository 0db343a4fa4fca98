import Foundation
import Hummingbird
import ImageFetching
import ImageModel
import ImagePipeline

// GET /thumb?url=…&w=200&h=200 on 127.0.0.1, cached in a directory:  ThumbnailService DIRECTORY PORT
let arguments = CommandLine.arguments
guard arguments.count > 2, let port = Int(arguments[2]) else {
  print("usage: ThumbnailService DIRECTORY PORT [PRIVATE-ORIGIN ...]")
  exit(64)
}
var fetching = HTTPFetcher.Configuration()
fetching.hostGuard = HostGuard(exempting: Array(arguments.dropFirst(3)))  // private origins, if any
let pipeline = try ImagePipeline(.server(directory: arguments[1], fetching: fetching))

let router = Router()
router.get("thumb") { request, _ -> Response in
  let query = request.uri.queryParameters
  guard let url = query["url"], let w = query.get("w", as: Int.self),
    let h = query.get("h", as: Int.self), (1...2000).contains(w), (1...2000).contains(h)
  else { throw HTTPError(.badRequest, message: "url, w and h (1 to 2000) are needed") }
  var wanted = ImageRequest(url: String(url))
  wanted.thumbnail = ThumbnailRecipe(size: PixelSize(width: w, height: h), fit: .cover)
  wanted.thumbnail?.format = .jpeg
  do {
    let bytes = try await pipeline.data(for: wanted).bytes()
    return Response(
      status: .ok, headers: [.contentType: "image/jpeg", .cacheControl: "max-age=600"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  } catch let error as ImageError {
    throw HTTPError(error.code == .saturated ? .serviceUnavailable : .badGateway)
  }
}
let address = BindAddress.hostname("127.0.0.1", port: port)
try await Application(router: router, configuration: .init(address: address)).runService()
