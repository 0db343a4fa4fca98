import ImageFeeds
public import ImageModel

#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An origin inside the process: Zhihu Daily's API and its images, all made by this project, over
/// HTTP on loopback.
///
/// It has a day for every date from 2013-05-19 to the present one; equal dates and URLs give equal
/// bytes, on every run. Images are drawn when they are requested.
///
/// URLs in its responses have a fixed host, so that they do not depend on the port that the system
/// chooses; a client must map ``host`` and port 80 to 127.0.0.1 and ``port``.
public final class SampleOrigin: Sendable {
  /// The host of the URLs, which no name server knows. Source: RFC 6761.
  public static let host = "sample.invalid"

  /// The base of its API: `http://sample.invalid/api/4/`.
  public static let api = ZhihuBase.sample.address
  /// The port on 127.0.0.1 that the origin listens on.
  public let port: Int

  private let server: LoopbackServer

  /// Starts the origin on a port that the system chooses.
  ///
  /// - Parameter now: The present moment; its day in UTC+8 is the newest day.
  /// - Throws: ``ImageError`` with code `connectionFailed` when no port is free.
  public init(now: Date) throws(ImageError) {
    let routes = SampleRoutes(today: .today(at: now), origin: "http://\(Self.host)")
    server = try LoopbackServer { routes.answer($0) }
    port = Int(server.port)
  }

  /// Stops the origin and waits for its threads. To be called once.
  public func stop() { server.stop() }
}
