import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The state of a server now and in the last hour: the object of `GET /status.json`, whose names
/// are in snake case there. Requests of operators do not count.
public struct ServerStatus: Codable, Sendable, Hashable {
  /// Counts of a span of time.
  public struct Figures: Codable, Sendable, Hashable {
    /// The length of the span in seconds.
    public var seconds = 0.0
    /// Responses.
    public var requests = 0
    /// Responses with a status of 400 through 499.
    public var clientErrors = 0
    /// Responses with a status of 500 or more.
    public var serverErrors = 0
    /// Bytes of bodies sent.
    public var bytesSent = 0
    /// Images from memory.
    public var memoryHits = 0
    /// Images from the disk.
    public var diskHits = 0
    /// Images from the shared tier.
    public var sharedHits = 0
    /// Images that were sent although stale.
    public var stale = 0
    /// Images from their origins.
    public var misses = 0
    /// Placeholders in place of images.
    public var placeholders = 0
    /// Responses evicted from memory.
    public var memoryEvictions = 0
    /// Entries evicted from the disk.
    public var diskEvictions = 0
    /// The median of the durations of requests for images, in seconds; `nil` without any.
    public var p50Seconds: Double?
    /// The 90th percentile of these.
    public var p90Seconds: Double?
    /// The 99th percentile of these.
    public var p99Seconds: Double?

    /// Requests a second.
    public var requestRate: Double { seconds > 0 ? Double(requests) / seconds : 0 }

    /// Images of all sources.
    private var images: Double {
      [memoryHits, diskHits, sharedHits, stale, misses, placeholders].reduce(0) { $0 + Double($1) }
    }

    /// The share, 0 through 1, of some of the images among all; `nil` without any.
    public func share(of count: Int) -> Double? { images > 0 ? Double(count) / images : nil }

    /// The share of the images that came from memory, the disk or the shared tier; `nil` without
    /// any.
    public var hitShare: Double? {
      images > 0 ? (Double(memoryHits) + Double(diskHits) + Double(sharedHits)) / images : nil
    }
  }

  /// The work in progress.
  public struct Load: Codable, Sendable, Hashable {
    /// Requests without a complete response.
    public var inFlight = 0
    /// Open connections.
    public var connections = 0
    /// Decodes in progress.
    public var decodesRunning = 0
    /// Decodes that wait for a slot.
    public var decodesWaiting = 0
    /// Fetches that wait for a slot.
    public var fetchesWaiting = 0
    /// Bytes in transfer, from origins and to clients.
    public var bytesInFlight = 0
  }

  /// The contents of a tier.
  public struct Store: Codable, Sendable, Hashable {
    /// Entries.
    public var entries = 0
    /// Their bytes.
    public var bytes = 0
    /// The most bytes that it may hold.
    public var limit = 0
  }

  /// The shared tier during the last hour.
  public struct SharedTier: Codable, Sendable, Hashable {
    /// Whether it is suspended after failures.
    public var isSuspended = false
    /// Values found.
    public var hits = 0
    /// Values not found.
    public var misses = 0
    /// Operations that failed.
    public var errors = 0
  }

  /// The last hour in columns of one length, oldest first: at most 121 points of 30 s each.
  public struct History: Codable, Sendable, Hashable {
    /// The length of each point in seconds.
    public var seconds: [Double] = []
    /// ``Figures/requests`` of each point, and so on.
    public var requests: [Int] = []
    /// Responses with a status of 400 or more.
    public var errors: [Int] = []
    /// Images from memory.
    public var memoryHits: [Int] = []
    /// Images from the disk.
    public var diskHits: [Int] = []
    /// Images from the shared tier.
    public var sharedHits: [Int] = []
    /// Images that were sent although stale.
    public var stale: [Int] = []
    /// Images from their origins.
    public var misses: [Int] = []
    /// Placeholders in place of images.
    public var placeholders: [Int] = []
    /// Responses evicted from memory.
    public var memoryEvictions: [Int] = []
    /// Entries evicted from the disk.
    public var diskEvictions: [Int] = []
    /// The median of the durations of requests for images, in seconds.
    public var p50Seconds: [Double?] = []
    /// The 99th percentile of these.
    public var p99Seconds: [Double?] = []
    /// The most decodes that waited.
    public var decodesWaiting: [Int] = []
    /// The most fetches that waited.
    public var fetchesWaiting: [Int] = []
    /// The most decodes in progress.
    public var decodesRunning: [Int] = []
  }

  /// When it was read, in Unix seconds.
  public var time = 0
  /// Seconds since the server began to listen.
  public var uptimeSeconds = 0.0
  /// The last minute.
  public var now = Figures()
  /// The last hour, or all of a shorter run.
  public var hour = Figures()
  /// The work in progress.
  public var load = Load()
  /// Responses in memory.
  public var memory = Store()
  /// Images on the disk.
  public var disk = Store()
  /// The shared tier; `nil` without one.
  public var shared: SharedTier?
  /// The last hour.
  public var history = History()

  /// Reads the object of `GET /status.json`.
  ///
  /// - Throws: `ImageError` with code `protocolError` for anything else.
  public init(json: [UInt8]) throws(ImageError) {
    do {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      self = try decoder.decode(Self.self, from: Data(json))
    } catch {
      throw ImageError(.protocolError, "the response is not the status of an imgcache server")
    }
  }

  init() {}
}
