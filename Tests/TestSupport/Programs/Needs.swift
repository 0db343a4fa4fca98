import Foundation
import Testing

/// What tests need beside the package. `./test` lists at its end what was left out, by these
/// reasons.
extension Trait where Self == ConditionTrait {
  /// The external material of ``SharedFixtures``.
  static var needsFixtures: Self {
    .enabled(if: SharedFixtures.areAvailable, "needs IMGCACHE_FIXTURES")
  }

  /// The program `imgcache`, run as a process.
  static var needsProgram: Self {
    .enabled(if: Tool.isBuilt && !isQuick, "runs imgcache, which --quick leaves out")
  }

  /// Compilers, scripts and other programs, for more than an instant.
  static var startsPrograms: Self {
    .enabled(if: !isQuick, "starts other programs, which --quick leaves out")
  }

  /// Seconds on two idle cores, in a debug build.
  static var isLong: Self { .enabled(if: !isQuick, "takes long, --quick leaves it out") }

  static var needsRedis: Self {
    .enabled(
      if: RedisProgram.isPossible && !isQuick, "needs redis-server and redis-cli, no --quick")
  }

  static var needsBrowser: Self {
    .enabled(
      if: Browser.isWanted && !isQuick, "needs a browser, no IMGCACHE_BROWSER=none and no --quick")
  }

  static var needsMoto: Self {
    .enabled("needs moto[s3,server], no --quick") {
      if isQuick { false } else { await MotoServer.isPossible() }
    }
  }

  /// Whether `./test --quick` runs.
  private static var isQuick: Bool { ProcessInfo.processInfo.environment["IMGCACHE_QUICK"] == "1" }
}

/// The size of a campaign: small with the tests, full with `IMGCACHE_CAMPAIGN=full`.
enum CampaignSize {
  static let isFull = ProcessInfo.processInfo.environment["IMGCACHE_CAMPAIGN"] == "full"
}
