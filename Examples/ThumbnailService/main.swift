import Foundation
import HTTPListening
import Hummingbird
import ImageFetching
import ImagePipeline
import ImagePipelineServices
import LoadScheduling
import ThumbnailServer

// GET /images/thumb?url=…&w=200&h=200 beside the other routes of a server on 127.0.0.1:
//   ThumbnailService DIRECTORY PORT [PRIVATE-ORIGIN ...]
let arguments = CommandLine.arguments
guard arguments.count > 2, let port = Int(arguments[2]) else {
  print("usage: ThumbnailService DIRECTORY PORT [PRIVATE-ORIGIN ...]")
  exit(64)
}

// Images of any public host may be fetched, and of private origins that are named.
var fetching = HTTPFetcher.Configuration()
fetching.hostGuard = HostGuard(exempting: Array(arguments.dropFirst(3)))
var configuration = ThumbnailServer.Configuration()
configuration.allowedHosts = try HostAllowList(["*"])
configuration.rules.maximumSide = 2000
var waiting = WaitLimits()
waiting.maximumCount = 256
waiting.maximumTime = .seconds(5)
let parts = try ThumbnailServer.Parts(
  .server(directory: arguments[1], fetching: fetching), maximumDecodes: 2, waiting: waiting)

// Signatures, presets, limits, conditions, ranges and problems are as in `imgcache serve`.
let images = try ThumbnailServer(configuration, parts: parts).routes(under: "/images")
let router = Router()
for method in [.get, .head] as [HTTPRequest.Method] {
  router.on("images/**", method: method) { request, _ -> Response in
    let answer = await images.respond(to: request.head)
    return Response(
      status: answer.status, headers: answer.fields,
      body: ResponseBody { writer in
        try await answer.writeBody { try await writer.write($0) }
        try await writer.finish(nil)
      })
  }
}
router.get("/") { _, _ in "GET /images/thumb?url=…&w=200&h=200\n" }

// SIGTERM ends the server first, then the pipeline: requests and loads in progress are finished.
let application = Application(
  router: router, configuration: .init(address: .hostname("127.0.0.1", port: port)),
  services: [parts.pipeline])
try await application.runService()
