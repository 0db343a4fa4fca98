import Foundation

@testable import ImageCodecs
@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport

/// A list of small images on loopback, for tests of the command line that need no recorded days.
final class ListOrigin: Sendable {
  private let origin: FaultyOrigin
  let urls: [String]

  /// - Parameters:
  ///   - count: The number of distinct images in the list.
  ///   - missing: The numbers of those that are 404.
  ///   - holding: A gate that image requests wait for.
  init(count: Int, missing: Set<Int> = [], holding gate: Gate? = nil) throws {
    let origin = try FaultyOrigin()
    self.origin = origin
    urls = (0..<count).map { origin.url("/\($0).png") }
    origin["/list.txt"] = [
      .text(urls.map { $0 + "\n" }.joined(), fields: ["Content-Type: text/plain"])
    ]
    for number in 0..<count where !missing.contains(number) {
      let color = [UInt8(number * 37 % 256), UInt8(number * 91 % 256), 128, 255]
      let picture = try ImageCodecs.encodePNG(SampleImages.flat(8 + number % 5, 8, color))
      origin["/\(number).png"] = [
        .custom { request, connection in
          gate?.block()
          let response = LoopbackResponse.file(
            picture, mediaType: "image/png", entityTag: "\"\(number)\"",
            cacheControl: "max-age=3600", for: request)
          return connection.send(response.wire(isHead: false, keepsAlive: true))
        }
      ]
    }
  }

  var feed: String { origin.url("/list.txt") }

  /// Requests for images so far.
  var pictureRequests: [LoopbackRequest] { origin.requests.filter { $0.path.hasSuffix(".png") } }

  func stop() { origin.stop() }
}
