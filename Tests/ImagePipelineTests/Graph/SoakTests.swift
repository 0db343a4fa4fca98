import Foundation
import Testing

@testable import CachePolicies
@testable import DiskCaching
@testable import ImageCodecs
@testable import ImageFetching
@testable import ImageModel
@testable import ImagePipeline
@testable import LoadScheduling
@testable import SampleFeed
@testable import TestSupport

/// Thousands of mixed requests against an origin that fails one time in five, in every way it
/// knows.
///
/// Small with the tests, 10,000 requests with `IMGCACHE_CAMPAIGN=full`.
@Suite(.startsPrograms) struct `A soak` {
  /// What the origin does with a picture of that number; four of five are served well.
  enum Fault: Int, CaseIterable {
    case cut, reset, drip, garble, late, lyingLength, redirectLoop, changingValidator, busy, gone

    init?(of number: Int) {
      guard number % 5 == 0 else { return nil }
      self.init(rawValue: number / 5 % Self.allCases.count)
    }
  }

  static let pictures: [[UInt8]] = (0..<20).compactMap { index in
    try? ImageCodecs.encodeJPEG(
      SampleImages.gradient(48 + index, 32 + index), options: .init(quality: 85))
  }

  /// An origin whose path tells the number of the picture: `/n`.
  private static func origin() throws -> LoopbackServer {
    let asked = Locked<[Int: Int]>([:])
    return try LoopbackServer(rawHandler: { request, connection in
      let number = Int(request.path.dropFirst().prefix { $0.isNumber }) ?? 0
      let count = asked.withLock { asked in
        asked[number, default: 0] += 1
        return asked[number, default: 0]
      }
      let picture = pictures[number % pictures.count]
      var whole = LoopbackResponse.file(
        picture, mediaType: "image/jpeg", entityTag: "\"\(number)\"",
        cacheControl: "max-age=\(number % 3 * 60)", for: request)
      let fault = Fault(of: number)
      if fault == .changingValidator {
        whole = .file(
          picture, mediaType: "image/jpeg", entityTag: "\"\(number)-\(count)\"", for: request)
      }
      let wire = whole.wire(isHead: false, keepsAlive: true)
      let cut = Array(wire.dropLast(whole.body.count / 2))
      switch fault {
      case nil, .changingValidator: return connection.send(wire)
      case .cut:
        connection.send(cut)
        return false
      case .reset:
        connection.send(cut)
        connection.reset()
        return false
      case .drip:
        for start in stride(from: 0, to: wire.count, by: 97) {
          guard connection.send(Array(wire[start..<min(start + 97, wire.count)])) else {
            return false
          }
        }
        return true
      case .garble:
        whole.body = whole.body.enumerated().map {
          $0.offset % 7 == 3 ? $0.element ^ 0x5a : $0.element
        }
        return connection.send(whole.wire(isHead: false, keepsAlive: true))
      case .late:
        // The first asks in vain: the connection ends without a word.
        return count % 2 == 1 ? false : connection.send(wire)
      case .lyingLength:
        connection.send(FaultyOrigin.head(length: picture.count * 2) + picture)
        return false
      case .redirectLoop:
        let response = LoopbackResponse(status: 302, headers: [("Location", "/\(number)")])
        return connection.send(response.wire(isHead: false, keepsAlive: true))
      case .busy:
        let response = LoopbackResponse(status: count % 3 == 0 ? 200 : 503, body: picture)
        return connection.send(response.wire(isHead: false, keepsAlive: true))
      case .gone:
        let response = LoopbackResponse(status: 404, body: Array("gone".utf8))
        return connection.send(response.wire(isHead: false, keepsAlive: true))
      }
    })
  }

  private static func pipeline(_ scratch: Scratch) throws -> (ImagePipeline, HTTPFetcher) {
    let cache = try DiskCache(DiskCache.Configuration(directory: scratch / "cache"))
    var fetching = HTTPFetcher.Configuration()
    fetching.hostGuard.allowsPrivateNetworks = true
    fetching.retryPolicy.maximumRetryCount = 2
    fetching.clock.sleep = { _ in try Task.checkCancellation() }
    fetching.partialBodies = cache.core.partialBodies
    let fetcher = try HTTPFetcher(fetching)
    var configuration = ImagePipeline.Configuration(fetcher: fetcher)
    configuration.diskCache = cache
    configuration.memory = MemoryCacheConfiguration()
    configuration.governor = MemoryGovernor(budget: 32 << 20)
    configuration.maximumFetches = 16
    configuration.maximumFetchesPerHost = 16
    configuration.negativeLifetimes.undecodable = .zero
    return (try ImagePipeline(configuration), fetcher)
  }

  /// One of the kinds of request that users make.
  private static func request(_ number: Int, _ url: String) -> ImageRequest {
    var request = ImageRequest(url: url)
    request.priority = LoadPriority(rawValue: number % 4) ?? .normal
    switch number % 7 {
    case 0: request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 16, height: 16))
    case 1:
      request.processors = [Resize(PixelSize(width: 20, height: 20)), RoundCorners(.pixels(3))]
    case 2: request.cache.policy = .revalidate
    case 3: request.cache.keepsInMemory = false
    default: break
    }
    return request
  }

  /// How one request ended.
  private enum Ending { case picture, failure, cancelled }

  private static func run(_ number: Int, _ url: String, _ pipeline: ImagePipeline) async -> Ending {
    let asked = request(number, url)
    do {
      switch number % 11 {
      case 0: _ = try await pipeline.data(for: asked)
      case 1:
        // A caller that may cancel.
        let task = pipeline.task(for: asked)
        if number % 2 == 0 { task.cancel() }
        _ = try await task.response
      case 2:
        for await event in pipeline.events(for: asked) {
          if case .failure(let error, _) = event { throw error }
        }
      default: _ = try await pipeline.image(for: asked)
      }
      return .picture
    } catch is CancellationError {
      return .cancelled
    } catch is ImageError {
      return .failure
    } catch {
      Issue.record("request \(number) ended with \(error)")
      return .failure
    }
  }

  private static func soak(_ count: Int, _ origin: LoopbackServer, _ pipeline: ImagePipeline) async
    -> [Ending: Int]
  {
    await withTaskGroup(of: Ending.self) { group in
      var random = SplitMix64(seed: 7)
      var endings: [Ending: Int] = [:]
      for index in 0..<count {
        if index >= 64, let ending = await group.next() { endings[ending, default: 0] += 1 }
        // Popular ones come again and again.
        let number = min(
          Int.random(in: 0..<2000, using: &random), .random(in: 0..<2000, using: &random))
        group.addTask { await run(index, "\(origin.origin)/\(number)", pipeline) }
      }
      for await ending in group { endings[ending, default: 0] += 1 }
      return endings
    }
  }

  /// Open files of this process; `nil` where the system does not tell.
  private static var openFileCount: Int? {
    try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
  }

  /// Resident bytes of this process; 0 where the system does not tell.
  private static var residentByteCount: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
  }

  /// In a process of its own: other suites open files and take memory as well.
  @Test(.timeLimit(.minutes(20)))
  func `every request is answered, nothing leaks, nothing partial is stored`() async {
    await #expect(processExitsWith: .success) { try await `A soak`.measure() }
  }

  private static func measure() async throws {
    let count = CampaignSize.isFull ? 10_000 : 600
    let scratch = try Scratch()
    let origin = try origin()
    defer { origin.stop() }
    let (pipeline, fetcher) = try pipeline(scratch)
    let cache = try #require(pipeline.configuration.diskCache)
    // What lazily opens and grows has done so after the first round.
    _ = await soak(count / 4, origin, pipeline)
    let (files, memory) = (openFileCount, residentByteCount)

    let endings = await soak(count, origin, pipeline)
    await pipeline.graph.background.finish()
    await Condition.until { pipeline.graph.activeCount == 0 }

    #expect(endings.values.reduce(0, +) == count)
    #expect(endings[.picture, default: 0] > count / 2)
    #expect(endings[.failure, default: 0] > 0)
    // Connections to the origin are files too, at both ends: as many as fetches at once and some on
    // their way out.
    if let files { await Condition.until { (openFileCount ?? 0) <= files + 64 } }
    let room = CampaignSize.isFull ? 192 << 20 : 96 << 20
    await Condition.until { residentByteCount <= memory + room }
    for record in await cache.list() where !record.isNegative {
      let entry = try #require(await cache.read(record.key))
      #expect(throws: Never.self) { try ImageCodecs.check(entry.bytes.span.bytes, level: .decode) }
    }
    #expect(try await cache.verify().isDamaged == false)
    if CampaignSize.isFull {
      print("soak: \(endings), files \(files ?? 0) to \(openFileCount ?? 0)")
      print("soak: memory \(memory >> 20) to \(residentByteCount >> 20) MiB")
    }
    await pipeline.close()
    fetcher.stop()
  }
}
