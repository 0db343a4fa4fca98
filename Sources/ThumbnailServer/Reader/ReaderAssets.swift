import HTTPListening
import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct ReaderAsset: Sendable, Hashable {
  /// The media type with its character set, for example `text/css; charset=utf-8`.
  var mediaType: String
  var bytes: [UInt8]
}

/// The files of the page, by name.
///
/// They are embedded in the program, except for two that are made when it starts: `tables.js`, the
/// texts and names that the page shares with the server, and the strip of frames of
/// ``LoadingAnimation``.
struct ReaderAssets: Sendable {
  private let files: [String: ReaderAsset]

  init() throws(ImageError) {
    var files = [
      "app.js": PackageResources.app_js,
      "calendar.js": PackageResources.calendar_js,
      "carousel.js": PackageResources.carousel_js,
      "dom.js": PackageResources.dom_js,
      "empty.js": PackageResources.empty_js,
      "favourites.js": PackageResources.favourites_js,
      "hud.js": PackageResources.hud_js,
      "icon.svg": PackageResources.icon_svg,
      "keys.js": PackageResources.keys_js,
      "layer.js": PackageResources.layer_js,
      "layers.css": PackageResources.layers_css,
      "list.js": PackageResources.list_js,
      "marked.js": PackageResources.marked_js,
      "marks.js": PackageResources.marks_js,
      "model.js": PackageResources.model_js,
      "month.js": PackageResources.month_js,
      "past.js": PackageResources.past_js,
      "pictures.js": PackageResources.pictures_js,
      "place.js": PackageResources.place_js,
      "pull.js": PackageResources.pull_js,
      "read.js": PackageResources.read_js,
      "reader.css": PackageResources.reader_css,
      "refresh.js": PackageResources.refresh_js,
      "search.js": PackageResources.search_js,
      "settings.js": PackageResources.settings_js,
      "size.js": PackageResources.size_js,
      "start.js": PackageResources.start_js,
      "statistics.js": PackageResources.statistics_js,
      "storage.js": PackageResources.storage_js,
      "story.css": PackageResources.story_css,
      "story.js": PackageResources.story_js,
      "tabs.js": PackageResources.tabs_js,
      "theme.css": PackageResources.theme_css, "thumbhash.js": PackageResources.thumbhash_js,
      "today.js": PackageResources.today_js,
      "viewer.js": PackageResources.viewer_js,
      "words.js": PackageResources.words_js,
      "zoom.js": PackageResources.zoom_js,
    ]
    files["tables.js"] = Self.tables()
    files["loading.png"] = try LoadingAnimation.strip()
    var assets: [String: ReaderAsset] = [:]
    for (name, bytes) in files {
      let type = Self.mediaTypes.first { name.hasSuffix($0.key) }?.value
      assets[name] = ReaderAsset(mediaType: type ?? "application/octet-stream", bytes: bytes)
    }
    self.files = assets
  }

  private static let mediaTypes: KeyValuePairs = [
    ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".png": "image/png", ".svg": "image/svg+xml",
  ]

  subscript(name: String) -> ReaderAsset? { files[name] }

  var names: [String] { files.keys.sorted() }

  private static func tables() -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings and finite numbers always encode.
    let json = (try? encoder.encode(Tables())) ?? Data("{}".utf8)
    return Array("export default ".utf8) + json + Array(";\n".utf8)
  }

  private struct Tables: Encodable {
    struct Loading: Encodable {
      var side = LoadingAnimation.side
      var frameCount = LoadingAnimation.frameCount
      /// Milliseconds that each frame shows.
      var delay = LoadingAnimation.delay / .milliseconds(1)
    }

    var texts = Dictionary(
      uniqueKeysWithValues: PageLanguage.allCases.map { language in
        let texts = ReaderText.allCases.map { ("\($0)", $0.text(in: language)) }
        return (language.rawValue, Dictionary(uniqueKeysWithValues: texts))
      })
    var chineseWeekdays = DayLabel.chineseWeekdays
    var englishWeekdays = DayLabel.englishWeekdays
    var englishMonths = DayLabel.englishMonths
    var loading = Loading()
  }
}
