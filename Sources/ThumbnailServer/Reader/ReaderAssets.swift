import HTTPListening
import ImageModel
import TextEncodings

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
/// They are embedded in the program, except for those that are made when it starts: `tables.js`, the
/// texts and names that the page shares with the server, the manifests, and the strip of frames of
/// ``LoadingAnimation``.
struct ReaderAssets: Sendable {
  private let files: [String: ReaderAsset]

  init() throws(ImageError) {
    var files = [
      "address.js": PackageResources.address_js,
      "app.js": PackageResources.app_js,
      "calendar.js": PackageResources.calendar_js,
      "carousel.js": PackageResources.carousel_js,
      "dom.js": PackageResources.dom_js,
      "empty.js": PackageResources.empty_js,
      "favourites.js": PackageResources.favourites_js,
      "hud.js": PackageResources.hud_js,
      "icon-192.png": PackageResources.icon_192_png,
      "icon-512.png": PackageResources.icon_512_png,
      "icon.svg": PackageResources.icon_svg,
      "keys.js": PackageResources.keys_js,
      "layer.js": PackageResources.layer_js,
      "layers.css": PackageResources.layers_css,
      "list.js": PackageResources.list_js,
      "marked.js": PackageResources.marked_js,
      "marks.js": PackageResources.marks_js,
      "model.js": PackageResources.model_js,
      "month.js": PackageResources.month_js,
      "offline.js": PackageResources.offline_js,
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
      "worker.js": PackageResources.worker_js,
      "zoom.js": PackageResources.zoom_js,
    ]
    files["tables.js"] = Self.tables()
    for language in PageLanguage.allCases {
      files["\(language.rawValue).webmanifest"] = Array(Self.manifest(in: language).utf8)
    }
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
    ".webmanifest": "application/manifest+json",
  ]

  subscript(name: String) -> ReaderAsset? { files[name] }

  var names: [String] { files.keys.sorted() }

  /// The application that a browser installs the page as. Addresses are relative to that of the
  /// manifest. Source: Web Application Manifest, https://www.w3.org/TR/appmanifest/.
  private static func manifest(in language: PageLanguage) -> String {
    func icon(_ name: String, _ type: String, _ sizes: String, _ purpose: String) -> JSONLine {
      ["src": name, "type": type, "sizes": sizes, "purpose": purpose]
    }
    let line: JSONLine = [
      "name": ReaderText.title.text(in: language), "lang": language.tag,
      "start_url": "../", "scope": "../", "display": "standalone",
      "theme_color": "#0a6fa3", "background_color": "#ffffff",
      "icons": [
        icon("icon.svg", "image/svg+xml", "any", "any"),
        icon("icon-192.png", "image/png", "192x192", "any maskable"),
        icon("icon-512.png", "image/png", "512x512", "any maskable"),
      ],
    ]
    return line.description
  }

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
