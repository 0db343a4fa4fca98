/// Everything that the reader says, in its languages.
public enum ReaderText: String, Sendable, CaseIterable, Codable {
  case pullToRefresh, releaseToRefresh, loading, lastUpdated
  case title, today, yesterday, past, favourites, statistics
  case noDay, noStories, noImages, networkFailed, badAnswer, noFavourites, reload
  case refresh, refreshed, refreshFailed, busy
  case previousPicture, nextPicture, picture, carousel, pausePlayback, resumePlayback
  case favourite, unfavourite, openStory, openOnWeb, back, stories, images, cached
  case olderDays, noOlderDays, deadImage, severalPictures, skipToStories
  case capacity, entries, bytes, hits, misses

  /// The text in a language.
  public func text(in language: ReaderLanguage) -> String {
    language == .chinese ? texts.0 : texts.1
  }

  private var texts: (String, String) {
    switch self {
    case .pullToRefresh: ("下拉可以刷新", "Pull down to refresh...")
    case .releaseToRefresh: ("松开即可刷新", "Release to refresh...")
    case .loading: ("加载中...", "Loading...")
    case .lastUpdated: ("最后更新", "Last Updated")
    case .title: ("每日阅读", "The day's reading")
    case .today: ("今天", "Today")
    case .yesterday: ("昨天", "Yesterday")
    case .past: ("往日", "Past")
    case .favourites: ("收藏", "Favourites")
    case .statistics: ("统计", "Statistics")
    case .noDay: ("缓存中没有这一天", "This day is not in the cache")
    case .noStories: ("这一天没有文章", "This day has no stories")
    case .noImages: ("这一天没有图片", "This day has no pictures")
    case .networkFailed: ("网络连接失败", "The server did not answer")
    case .badAnswer: ("数据无法读取", "The answer could not be read")
    case .noFavourites: ("还没有收藏", "Nothing is marked yet")
    case .reload: ("重新加载", "Try again")
    case .refresh: ("刷新", "Refresh")
    case .refreshed: ("已更新", "Up to date")
    case .refreshFailed: ("刷新失败", "The refresh failed")
    case .busy: ("正在刷新，请稍候", "A refresh is running already")
    case .previousPicture: ("上一张", "Previous picture")
    case .nextPicture: ("下一张", "Next picture")
    case .picture: ("图片", "Picture")
    case .carousel: ("热门文章", "Top stories")
    case .pausePlayback: ("暂停轮播", "Stop moving")
    case .resumePlayback: ("开始轮播", "Move by itself")
    case .favourite: ("收藏", "Mark as favourite")
    case .unfavourite: ("取消收藏", "Remove from favourites")
    case .openStory: ("阅读", "Read")
    case .openOnWeb: ("在网页中打开", "Open on the web")
    case .back: ("返回", "Back")
    case .stories: ("文章", "Stories")
    case .images: ("图片", "Images")
    case .cached: ("已缓存", "In the cache")
    case .olderDays: ("加载更早的文章", "Load older stories")
    case .noOlderDays: ("没有更早的文章了", "There are no older stories")
    case .deadImage: ("图片无法显示", "The picture cannot be shown")
    case .severalPictures: ("多图", "Several pictures")
    case .skipToStories: ("跳到文章列表", "Skip to the stories")
    case .capacity: ("上限", "Limit")
    case .entries: ("条目", "Entries")
    case .bytes: ("字节", "Bytes")
    case .hits: ("命中", "Hits")
    case .misses: ("未命中", "Misses")
    }
  }
}
