import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// An origin inside the process: Zhihu Daily's API and its images, all made by this project, over
/// real HTTP on loopback.
///
/// It has a day for every date from 2013-05-19 to the present one; equal dates and addresses give equal
/// bytes, on every run. Pictures are drawn when they are asked for. Nothing in it fails.
///
/// Addresses in its answers carry a fixed name, so that a cache knows them again whatever port the system
/// chooses; a fetcher must map ``host`` and port 80 to 127.0.0.1 and ``port``.
public final class SampleOrigin: Sendable {
  /// The name in the addresses: a name that no name server ever knows (RFC 6761).
  public static let host = "sample.invalid"

  /// The base to give to ``ZhihuBase``: `http://sample.invalid/api/4/`.
  public static let api = "http://\(host)/api/4/"
  /// The port on 127.0.0.1 that the origin listens on.
  public let port: Int

  private let server: LoopbackServer

  /// Starts the origin on a port that the system chooses.
  ///
  /// - Parameter now: The present moment; its day in UTC+8 is the newest day.
  /// - Throws: ``ImageError`` with code `connectionFailed` when no port is available.
  public init(now: Date) throws(ImageError) {
    let routes = SampleRoutes(today: .today(at: now), origin: "http://\(Self.host)")
    server = try LoopbackServer { routes.answer($0) }
    port = Int(server.port)
  }

  /// Ends the origin and waits for its threads. To be called once.
  public func stop() { server.stop() }
}
