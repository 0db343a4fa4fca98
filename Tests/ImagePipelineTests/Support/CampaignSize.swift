import Foundation

/// How much a campaign does: a little with the tests, all of it with `IMGCACHE_CAMPAIGN=full`.
enum CampaignSize {
  static let isFull = ProcessInfo.processInfo.environment["IMGCACHE_CAMPAIGN"] == "full"
}
