import HTTPListening
import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Logs requests that the rules refuse, with the setting that would permit them: at most once a
/// minute for each host and code, and a hundred lines a minute in all, whatever hosts clients name.
final class RefusalLog: Sendable {
  private struct Reason: Hashable {
    let code: String
    let host: String
  }
  private let noted = Locked<[Reason: Date]>([:])
  private let clock: @Sendable () -> Date
  private let write: @Sendable (String) -> Void

  private static let maximumCount = 100
  private static let pause = 60.0

  init(clock: @escaping @Sendable () -> Date, write: @escaping @Sendable (String) -> Void) {
    self.clock = clock
    self.write = write
  }

  /// Notes a problem of a request for a URL; only those that a setting would permit are logged.
  func note(_ problem: Problem, of url: String) {
    switch problem.code {
    case Problem.badSignature.code:
      note(problem, Self.host(of: url)) { _ in
        "sign the request with a key of ThumbnailServer.Configuration.signingKeys"
      }
    case Problem.forbidden.code:
      note(problem, Self.host(of: url)) { host in
        if LocalAddress(url) != nil {
          return "name its directory by ThumbnailServer.Configuration.allowedRoots"
        }
        return S3Address(url) == nil
          ? "permit it by ThumbnailServer.Configuration.allowedHosts \(host)"
          : "describe the bucket by HTTPFetcher.Configuration.s3Buckets"
      }
    default: break
    }
  }

  /// Notes a refusal of the fetcher.
  func note(_ error: ImageError, of url: String) {
    let problem = Problem(error)
    switch error.code {
    case .hostNotAllowed where LocalAddress.isNamed(by: url):
      note(problem, Self.host(of: url)) { _ in
        "only regular files in the directory are served, without dot names and links out of it"
      }
    case .hostNotAllowed:
      note(problem, Self.host(of: url)) { _ in
        "its address is private; permit such ones by HostGuard.allowsPrivateNetworks"
      }
    case .redirectNotAllowed:
      let target = error.message.firstRange(of: " redirects to ").map {
        Self.host(of: error.message[$0.upperBound...].prefix { $0 != "," && $0 != " " })
      }
      note(problem, Self.host(of: url)) { _ in
        "it redirects to a host that is not allowed; permit that by "
          + "ThumbnailServer.Configuration.allowedHosts \(target ?? "-")"
      }
    default: break
    }
  }

  private func note(_ problem: Problem, _ host: String, _ advice: (String) -> String) {
    let (reason, now) = (Reason(code: problem.code, host: host), clock())
    let isDue = noted.withLock { noted in
      if let last = noted[reason], now.timeIntervalSince(last) < Self.pause { return false }
      if noted.count >= Self.maximumCount {
        noted = noted.filter { now.timeIntervalSince($0.value) < Self.pause }
        guard noted.count < Self.maximumCount else { return false }
      }
      noted[reason] = now
      return true
    }
    if isDue { write("refused an image of \(host) (\(problem.code)): \(advice(host))") }
  }

  private static func host(of url: some StringProtocol) -> String {
    let url = String(url)
    return WebURL(url)?.host ?? S3Address(url).map { "s3://\($0.bucket)" }
      ?? LocalAddress(url)?.host ?? "-"
  }
}
