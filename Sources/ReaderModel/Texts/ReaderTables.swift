import TextEncodings

/// The numbers and texts of this module as JSON, for the script of the page: what stands here need not be
/// written down a second time.
public enum ReaderTables {
  /// One object: `texts` by language and name, `days` (names for ``DayLabel``), and the constants of each
  /// type under its name, durations in milliseconds. Keys are sorted; the bytes are always the same.
  public static func json() -> String {
    // Strings and finite numbers always encode.
    (try? JSONText.encoded(Tables())).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  private struct Tables: Encodable {
    var texts = Dictionary(
      uniqueKeysWithValues: ReaderLanguage.allCases.map { language in
        (
          language.rawValue,
          Dictionary(
            uniqueKeysWithValues: ReaderText.allCases.map {
              ($0.rawValue, $0.text(in: language))
            })
        )
      })
    var days = Names()
    var numbers: [String: Double] = [
      "carousel.resumeDelay": milliseconds(CarouselTimer.resumeDelay),
      "carousel.interval": milliseconds(CarouselTimer.usualInterval),
      "banner.height": BannerFrame.restHeight,
      "pull.threshold": PullRefresh.threshold,
      "pull.loadingInset": PullRefresh.loadingInset,
      "pull.openingTime": milliseconds(PullRefresh.openingTime),
      "pull.closingTime": milliseconds(PullRefresh.closingTime),
      "pull.arrowTime": milliseconds(PullRefresh.arrowTime),
      "ring.distance": RefreshRing.distance,
      "ring.farthestPull": RefreshRing.farthestPull,
      "ring.minimumShown": milliseconds(RefreshRing.minimumShown),
      "bar.height": TopBarFade.height,
      "spinner.x": SpinnerFrame.place.x,
      "spinner.y": SpinnerFrame.place.y,
      "spinner.side": SpinnerFrame.side,
      "hud.fadeTime": milliseconds(HUD.fadeTime),
      "hud.pictureSide": HUD.pictureSide,
      "hud.backgroundAlpha": HUD.backgroundAlpha,
      "hud.briefMaximum": HUD.brief.maximumSeconds,
      "shade.alpha": TitleShade.usualAlpha,
      "cell.height": StoryCell.height,
      "cell.pictureSide": StoryCell.pictureSide,
      "empty.verticalOffset": EmptyState.verticalOffset,
      "empty.sideInset": EmptyState.sideInset,
      "empty.gap": EmptyState.gap,
      "empty.fontSize": EmptyState.fontSize,
    ]
    var colors = [
      "bar": TopBarFade.color, "pull.background": PullRefreshLayout.background,
      "pull.text": PullRefreshLayout.textColor, "empty.text": EmptyState.textColor,
    ]
    var keywords = InteractionPolicy.keywords
    var tabs = ReaderTab.allCases
  }

  private struct Names: Encodable {
    var chineseWeekdays = DayLabel.chineseWeekdays
    var englishWeekdays = DayLabel.englishWeekdays
    var englishMonths = DayLabel.englishMonths
  }

  private static func milliseconds(_ duration: Duration) -> Double { duration / .milliseconds(1) }
}
