import Testing

@testable import ImageFeeds

@Suite struct `Trackers in feeds` {
  @Test(arguments: [
    "https://sugar.zhihu.com/pixel.gif", "https://www.google-analytics.com/collect?v=1",
    "http://AD.DoubleClick.net/x", "https://rss.feedsportal.com/c/35/mf.gif",
    "https://www.facebook.com/tr?id=1", "https://medium.com/_/stat?event=post",
  ])
  func `a known tracker and its subdomains are recognized`(url: String) {
    #expect(Trackers.contains(url))
  }

  @Test(arguments: [
    "https://notdoubleclick.net/a.png", "https://doubleclick.net.example.org/a.png",
    "https://example.org/doubleclick.net/a.png", "https://www.facebook.com/travel/photo.jpg",
    "https://medium.com/_/statue.png", "https://www.facebook.com/photo/tr.png",
    "https://feedsportal.com/images/c/a.png", "https://zhihu.com/a.png", "not a URL", "",
  ])
  func `a URL that only resembles a tracker is not one`(url: String) {
    #expect(!Trackers.contains(url))
  }
}
