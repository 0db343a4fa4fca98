import HTTPListening
import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ThumbnailServer {
  /// What a server is made of.
  public struct Configuration: Sendable {
    /// Where it listens. Default: 127.0.0.1, port 8780.
    public var listen: [ListenTarget] = [.tcp(host: "127.0.0.1", port: 8780)]
    /// Who may connect to a socket in the file system, as `chmod` takes it. Default: 0660.
    public var socketMode: UInt16 = 0o660
    /// The names that the server goes by on a loopback listener, besides `localhost`, `*.localhost`
    /// and loopback addresses: a request that names another host gets 421, as it may come from a
    /// page whose name was made to mean this machine (DNS rebinding). `*` allows all names. Other
    /// listeners do not check them. Default: none.
    public var serverNames = HostAllowList()
    /// The hosts that may be asked for pictures, besides those of the days in the cache. Default:
    /// none.
    public var allowedHosts = HostAllowList()
    /// Never asks an origin. Default: no.
    public var isOffline = false
    /// Keys that every `/thumb` and `/image` has to be signed with. Default: none, nothing has to
    /// be signed.
    public var signingKeys: [SigningKey] = []
    /// Which thumbnails may be asked for.
    public var rules = ThumbnailRules()
    /// How much longer clients may use what has become stale.
    public var grace = StaleGrace()
    /// What one client may take.
    public var limits = ConnectionLimits()
    /// Bytes of ready answers that are kept in memory. Default: 64 MiB.
    public var memoryByteCount = 64 << 20
    /// Whom the memory lets go. Default: `gdsf-tb`, by evidence (see Decisions).
    public var memoryPolicy = EvictionPolicyName.gdsfTB(exponent: 1)
    /// An encoded picture that stands in for what cannot be had. Default: what the cache remembers
    /// of it, else grey.
    public var placeholder: [UInt8]?
    /// The days in the cache. Default: none.
    public var days: any DayProviding = NoDays()
    /// How long requests and refreshes under way may take after the server was told to stop.
    /// Default: 30 s.
    public var drainTime = Duration.seconds(30)
    /// Threads that talk to clients. Default: one for each processor that this process may use.
    public var threadCount = Processors.usableCount
    /// Takes a line for each answer, on threads that must not wait. Default: nobody.
    public var accessLog: (@Sendable (String) -> Void)?
    /// Hears of answers from memory; the pipeline, whose observer it is as well, does not see
    /// these. Default: nobody.
    public var accesses: AccessRecorder?
    /// The time now. Default: the system's clock.
    public var clock: @Sendable () -> Date = { Date() }
    /// Nanoseconds of a clock that never goes back; replaced in tests. Default: the system's.
    package var monotonicClock: (@Sendable () -> UInt64)?

    /// The defaults.
    public init() {}
  }
}
