import ArgumentParser
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

      The signed text is the path, '?', and the decoded query without sig, sorted by key and then value, each pair \
      encoded by RFC 3986 and joined by '&'; sig is its HMAC-SHA256 in lower-case hex. kid names the key, exp is the \
      end of validity in Unix seconds.
      """))

  @Argument(help: .value("url", "URLs, or paths with their query.")) var urls: [String]
  @Option(
    help: .value("file", "The keys: NAME:SECRET a line.", "The first one signs."),
    completion: .file())
  var signKeyFile: String
  @Option(help: .value("name", "Sign with the key of this name.")) var kid: String?

  @Option(help: .value("duration", "How long the URLs are valid (default: for ever)."))
  var expires: TimeQuantity?

  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  func run() throws {
    let signer = URLSigner(keys: try SigningKeyFile.read(signKeyFile, namedBy: "--sign-key-file"))
    let end = expires.map { Date() + Double($0.duration.components.seconds) }
    for url in urls {
      let signed = try signer.sign(url, keyName: kid, expires: end)
      common.report.result(["url": url, "signed": signed], text: signed)
    }
  }
}
