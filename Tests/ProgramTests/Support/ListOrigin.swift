import Foundation

@testable import ImageCodecs
@testable import ImageModel
@testable import SampleFeed
@testable import TestSupport

/// A list of small images on loopback, for tests of the command line that need no recorded days.
final class ListOrigin: Sendable {
  private let server: LoopbackServer
  private let log: Locked<[LoopbackRequest]>
  private let count: Int

  /// - Parameters:
  ///   - count: The number of distinct images in the list.
  ///   - missing: The numbers of those that are 404.
  ///   - holding: A gate that image requests wait for.
  init(count: Int, missing: Set<Int> = [], holding gate: Gate? = nil) throws {
    let log = Locked<[LoopbackRequest]>([])
    self.log = log
    self.count = count
    let pictures = try (0..<count).map { number in
      let color = [UInt8(number * 37 % 256), UInt8(number * 91 % 256), 128, 255]
      let size = PixelSize(width: 8 + number % 5, height: 8)
      let bytes = (0..<size.pixelCount).flatMap { _ in color }
      return try ImageCodecs.encodePNG(PixelBuffer(size: size, bytes: bytes))
    }
    let items = (0..<count).map { "/\($0).png\n" }
    server = try LoopbackServer { request in
      log.withLock { $0.append(request) }
      let origin = "http://" + (request["host"] ?? "")
      if request.path == "/list.txt" {
        return .file(
          Array(items.map { origin + $0 }.joined().utf8), mediaType: "text/plain",
          entityTag: "\"list\"", for: request)
      }
      guard let number = Int(request.path.dropFirst().prefix { $0 != "." }),
        pictures.indices.contains(number), !missing.contains(number)
      else { return LoopbackResponse(status: 404) }
      gate?.block()
      return .file(
        pictures[number], mediaType: "image/png", entityTag: "\"\(number)\"",
        cacheControl: "max-age=3600", for: request)
    }
  }

  var feed: String { server.origin + "/list.txt" }

  var urls: [String] { (0..<count).map { "\(server.origin)/\($0).png" } }

  /// Requests for images so far.
  var pictureRequests: [LoopbackRequest] {
    log.withLock { $0 }.filter { $0.path.hasSuffix(".png") }
  }

  deinit { stop() }

  func stop() { server.stop() }
}
