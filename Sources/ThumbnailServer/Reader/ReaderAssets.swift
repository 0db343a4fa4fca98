import ImagePipeline

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A file of the page.
struct ReaderAsset: Sendable, Hashable {
  /// The media type with its character set, for example `text/css; charset=utf-8`.
  var mediaType: String
  /// The whole file.
  var bytes: [UInt8]
}

/// The files of the page, by name.
///
/// They are embedded in the program, except for two that are made when it starts: `tables.js`, the
/// texts and names that the page shares with the server, and the strip of frames of
/// ``LoadingAnimation``.
struct ReaderAssets: Sendable {
  private let files: [String: ReaderAsset]

  /// Makes the files that are not embedded.
  ///
  /// - Throws: ``ImageError`` when the animation cannot be encoded.
  init() throws(ImageError) {
    let script = "text/javascript; charset=utf-8"
    let style = "text/css; charset=utf-8"
    files = [
      "app.js": ReaderAsset(mediaType: script, bytes: PackageResources.app_js),
      "carousel.js": ReaderAsset(mediaType: script, bytes: PackageResources.carousel_js),
      "dom.js": ReaderAsset(mediaType: script, bytes: PackageResources.dom_js),
      "favourites.js": ReaderAsset(mediaType: script, bytes: PackageResources.favourites_js),
      "hud.js": ReaderAsset(mediaType: script, bytes: PackageResources.hud_js),
      "list.js": ReaderAsset(mediaType: script, bytes: PackageResources.list_js),
      "model.js": ReaderAsset(mediaType: script, bytes: PackageResources.model_js),
      "pictures.js": ReaderAsset(mediaType: script, bytes: PackageResources.pictures_js),
      "pull.js": ReaderAsset(mediaType: script, bytes: PackageResources.pull_js),
      "start.js": ReaderAsset(mediaType: script, bytes: PackageResources.start_js),
      "tabs.js": ReaderAsset(mediaType: script, bytes: PackageResources.tabs_js),
      "thumbhash.js": ReaderAsset(mediaType: script, bytes: PackageResources.thumbhash_js),
      "tables.js": ReaderAsset(mediaType: script, bytes: Self.tables()),
      "reader.css": ReaderAsset(mediaType: style, bytes: PackageResources.reader_css),
      "story.js": ReaderAsset(mediaType: script, bytes: PackageResources.story_js),
      "story.css": ReaderAsset(mediaType: style, bytes: PackageResources.story_css),
      "icon.svg": ReaderAsset(mediaType: "image/svg+xml", bytes: PackageResources.icon_svg),
      "loading.png": ReaderAsset(mediaType: "image/png", bytes: try LoadingAnimation.strip()),
    ]
  }

  /// The file of a name; `nil` where there is none.
  subscript(name: String) -> ReaderAsset? { files[name] }

  /// All names, sorted.
  var names: [String] { files.keys.sorted() }

  /// Returns a module that exports what ``Tables`` holds.
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

    /// By language, then by name.
    var texts = Dictionary(
      uniqueKeysWithValues: ReaderLanguage.allCases.map { language in
        let texts = ReaderText.allCases.map { ($0.rawValue, $0.text(in: language)) }
        return (language.rawValue, Dictionary(uniqueKeysWithValues: texts))
      })
    var chineseWeekdays = DayLabel.chineseWeekdays
    var englishWeekdays = DayLabel.englishWeekdays
    var englishMonths = DayLabel.englishMonths
    var loading = Loading()
  }
}
