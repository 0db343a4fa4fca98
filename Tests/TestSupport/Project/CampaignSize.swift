import Foundation

/// The size of a campaign: small with the tests, full with `IMGCACHE_CAMPAIGN=full`.
enum CampaignSize {
  static let isFull = ProcessInfo.processInfo.environment["IMGCACHE_CAMPAIGN"] == "full"
}
