import HTTPListening

/// A text of the reader, in each of its languages.
enum ReaderText: String, Sendable, CaseIterable {
  case pullToRefresh, releaseToRefresh, loading, lastUpdated
  case title, today, yesterday, past, favourites, statistics
  case noDay, noStories, networkFailed, badAnswer, noFavourites, reload
  case refresh, refreshed, refreshFailed, busy
  case previousPicture, nextPicture, carousel, pausePlayback, resumePlayback
  case favourite, openOnWeb, opensOnWeb, back, stories, images, noImages, cached, allCached
  case olderDays, noOlderDays, deadImage, severalPictures, skipToStories, toNewest, pages
  case search, searchTitles, searchHint, searching, noResults, results, firstResults, close
  case calendar, previousMonth, nextMonth, completeDay, incompleteDay, notKept, kept, noKeptDay
  case viewer, viewPicture, zoomIn, zoomOut, readStory

  func text(in language: PageLanguage) -> String {
    language == .chinese ? texts.0 : texts.1
  }

  private var texts: (String, String) {
    switch self {
    case .pullToRefresh: ("下拉可以刷新", "Pull down to refresh...")
    case .releaseToRefresh: ("松开即可刷新", "Release to refresh...")
    case .loading: ("加载中...", "Loading...")
    case .lastUpdated: ("最后更新", "Last Updated")
    case .title: ("每日阅读", "Daily reading")
    case .today: ("今天", "Today")
    case .yesterday: ("昨天", "Yesterday")
    case .past: ("往日", "Past")
    case .favourites: ("收藏", "Favourites")
    case .statistics: ("统计", "Statistics")
    case .noDay: ("缓存中没有这一天", "This day is not in the cache")
    case .noStories: ("这一天没有文章", "This day has no stories")
    case .networkFailed: ("网络连接失败", "The connection failed")
    case .badAnswer: ("数据无法读取", "The response could not be read")
    case .noFavourites: ("还没有收藏", "No favourites yet")
    case .reload: ("重新加载", "Try again")
    case .refresh: ("刷新", "Refresh")
    case .refreshed: ("已更新", "Up to date")
    case .refreshFailed: ("刷新失败", "The refresh failed")
    case .busy: ("正在刷新，请稍候", "A refresh is already running")
    case .previousPicture: ("上一张", "Previous picture")
    case .nextPicture: ("下一张", "Next picture")
    case .carousel: ("热门文章", "Top stories")
    case .pausePlayback: ("暂停轮播", "Pause the carousel")
    case .resumePlayback: ("开始轮播", "Play the carousel")
    case .favourite: ("收藏", "Mark as favourite")
    case .openOnWeb: ("在网页中打开", "Open on the web")
    case .opensOnWeb: ("在新标签页打开网页", "opens on the web")
    case .back: ("返回", "Back")
    // Forms for one and for more, apart by `|`; `{n}` is the number.
    case .stories: ("{n} 篇文章", "{n} story|{n} stories")
    case .images: ("{n} 张图片", "{n} image|{n} images")
    case .noImages: ("没有图片", "no images")
    case .cached: ("，已缓存 {n} 张", ", {n} cached")
    case .allCached: ("，已全部缓存", ", all cached")
    case .olderDays: ("加载更早的文章", "Load older stories")
    case .noOlderDays: ("没有更早的文章了", "There are no older stories")
    case .deadImage: ("图片无法显示", "The picture cannot be shown")
    case .severalPictures: ("多图", "Several pictures")
    case .skipToStories: ("跳到文章列表", "Skip to the stories")
    case .toNewest: ("回到最新一天", "Back to the newest day")
    case .pages: ("页面", "Pages")
    case .search: ("搜索", "Search")
    case .searchTitles: ("搜索所有日期的标题", "Search the titles of all days")
    case .searchHint: ("输入标题中的词语，可用空格分隔多个词", "Type words from titles, separated by spaces")
    case .searching: ("正在搜索…", "Searching…")
    case .noResults: ("没有找到标题匹配的文章", "No title has all of these words")
    case .results: ("{n} 条结果", "{n} result|{n} results")
    case .firstResults: ("显示最新的 {n} 条结果", "The newest {n} results")
    case .close: ("关闭", "Close")
    case .calendar: ("日历", "Calendar")
    case .previousMonth: ("上个月", "Previous month")
    case .nextMonth: ("下个月", "Next month")
    case .completeDay: ("图片已全部缓存", "all images cached")
    case .incompleteDay: ("部分图片未缓存", "some images not cached")
    case .notKept: ("未保存", "not saved")
    case .kept: ("已保存", "saved")
    case .noKeptDay: ("还没有保存任何一天", "No days saved yet")
    case .viewer: ("查看图片", "Picture viewer")
    case .viewPicture: ("查看大图", "View the picture")
    case .zoomIn: ("放大", "Zoom in")
    case .zoomOut: ("缩小", "Zoom out")
    case .readStory: ("阅读文章", "Read the story")
    }
  }
}
