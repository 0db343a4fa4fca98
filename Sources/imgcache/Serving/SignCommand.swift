import ArgumentParser
import ImageCodecs
import ImageModel
import TextEncodings
import ThumbnailServer

struct SignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Signs URLs of a server that was started with --sign-key-file.",
    usage: "imgcache sign [<options>] --sign-key-file <file> <url> ...",
    discussion: .examples(
      """
      imgcache sign --sign-key-file keys '/thumb?url=https%3A%2F%2Fexample.org%2Fa.jpg&w=64&h=64'
      imgcache sign --sign-key-file keys --expires 7d '/image?url=https%3A%2F%2Fexample.org%2Fa.jpg'
      imgcache sign --sign-key-file keys --server https://thumbs.example.org --preset card https://example.org/a.jpg

      The signed text is the path, '?', and the decoded query without sig, sorted by key and then value, each pair \
      encoded by RFC 3986 and joined by '&'; sig is its HMAC-SHA256 in lower-case hex. kid names the key, exp is the \
      end of validity in Unix seconds.
      """))

  @Argument(
    help: .value(
      "url", "URLs, or paths with their query.",
      "With --server the URLs of images: http, https, s3 or local."))
  var urls: [String]
  @Option(
    help: .value("file", "The keys: NAME:SECRET a line.", "The first one signs."),
    completion: .file())
  var signKeyFile: String
  @Option(help: .rare("name", "Sign with the key of this name.")) var kid: String?

  @Option(
    help: .value("duration", "How long the URLs are valid (default: for ever)."),
    transform: TimeQuantity.positive)
  var expires: TimeQuantity?

  @Option(
    help: .value(
      "url", "Make the whole URL of each image at this server.",
      "Of /thumb with --preset or --size, else of /image. A path in front of the server's routes belongs to it."
    ))
  var server: String?

  @Option(help: .value("name", "The preset of the thumbnail, with --server.")) var preset: String?

  @Option(help: .rare("WxH", "The size of the thumbnail, with --server.")) var size: ThumbnailSize?

  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  func validate() throws {
    try require(server != nil || preset == nil && size == nil, "--preset and --size need --server")
    let isServer = server.map { url in WebURL(url) != nil && !url.contains { "?#".contains($0) } }
    try require(
      isServer ?? true,
      "--server is an http or https URL without a query, for example https://thumbs.example.org")
  }

  /// The target of an image at the server, or what was named if there is none.
  private func target(_ url: String) throws(ImageError) -> String {
    guard let server else {
      let path = url.prefix { $0 != "?" && $0 != "#" }
      guard ["/thumb", "/image", "/info"].contains(where: path.hasSuffix) else {
        throw ImageError.misuse(
          "\(url.debugDescription) is not of /thumb, /image or /info, which signatures are for; give --server for the URL of an image"
        )
      }
      return url
    }
    guard WebURL(url) != nil || S3Address(url) != nil || LocalAddress(url) != nil else {
      throw ImageError.misuse(
        "\(url.debugDescription) is not an http, https, s3 or local URL of an image")
    }
    var base = server
    while base.hasSuffix("/") { base.removeLast() }
    // Neither the server's own URL of an image nor that of another one is that of an original.
    guard !["/thumb?", "/image?", "/info?"].contains(where: { url.hasPrefix(base + $0) }),
      !(url.contains("url=") && url.contains("&sig="))
    else { throw ImageError.misuse("\(url.debugDescription) is a URL of a server already") }
    var pairs = preset.map { ["preset=\(PercentEncoding.encoded($0))"] } ?? []
    if let size {
      pairs += ["w=\(size.size.width)", "h=\(size.size.height)"]
      if size.fit != .cover { pairs.append("fit=\(size.fit.rawValue)") }
    }
    let path = pairs.isEmpty ? "/image" : "/thumb"
    pairs.append("url=\(PercentEncoding.encoded(url))")
    return base + path + "?" + pairs.joined(separator: "&")
  }

  func run() throws {
    let signer = URLSigner(keys: try SigningKeyFile.read(signKeyFile, namedBy: "--sign-key-file"))
    let end = expires.map { Date() + Double($0.duration.components.seconds) }
    for url in urls {
      let signed = try signer.sign(target(url), keyName: kid, expires: end)
      common.report.result(.sign, ["url": url, "signed": signed], text: signed)
    }
  }
}
