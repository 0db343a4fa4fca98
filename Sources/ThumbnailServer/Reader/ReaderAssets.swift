import ImagePipeline
import ReaderModel

/// A file of the page.
struct ReaderAsset: Sendable, Hashable {
  /// With its character set, for example `text/css; charset=utf-8`.
  var mediaType: String
  /// The whole file.
  var bytes: [UInt8]
}

/// The files of the page, by name. They are part of the program, but for three that are made when it starts:
/// the tables of ``ReaderModel`` as a script, and the loading animation as a GIF and as a strip of its frames.
struct ReaderAssets: Sendable {
  private let files: [String: ReaderAsset]

  /// Makes what is made.
  ///
  /// - Throws: ``ImageError`` where the animation cannot be encoded.
  init() throws(ImageError) {
    let gif = try LoadingAnimation.gif()
    let strip = try LoadingAnimation.strip(of: gif)
    let script = "text/javascript; charset=utf-8"
    let style = "text/css; charset=utf-8"
    let tables = """
      // Made from the Swift module ReaderModel.
      const tables = \(ReaderTables.json());
      tables.loading = { strip: '/reader/loading.png', delays: [\(
        strip.delays.map(String.init).joined(separator: ", "))], \
      width: \(strip.frameSize.width), height: \(strip.frameSize.height) };
      export default tables;

      """
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
      "tables.js": ReaderAsset(mediaType: script, bytes: Array(tables.utf8)),
      "reader.css": ReaderAsset(mediaType: style, bytes: PackageResources.reader_css),
      "story.js": ReaderAsset(mediaType: script, bytes: PackageResources.story_js),
      "story.css": ReaderAsset(mediaType: style, bytes: PackageResources.story_css),
      "icon.svg": ReaderAsset(mediaType: "image/svg+xml", bytes: PackageResources.icon_svg),
      "loading.gif": ReaderAsset(mediaType: "image/gif", bytes: gif),
      "loading.png": ReaderAsset(mediaType: "image/png", bytes: strip.png),
    ]
  }

  /// The file of a name; `nil` where there is none.
  subscript(name: String) -> ReaderAsset? { files[name] }

  /// All names, sorted.
  var names: [String] { files.keys.sorted() }
}
