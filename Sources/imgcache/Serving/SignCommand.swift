import ArgumentParser
import ImageModel
import ThumbnailServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `imgcache sign URL`: signs URLs for a server that requires it.
struct SignCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sign",
    abstract: "Signs URLs of a server that was started with --sign-key-file.",
    discussion: """
      imgcache sign --sign-key-file keys 'http://127.0.0.1:8780/thumb?url=https%3A%2F%2Fexample.org%2Fa.jpg&w=200&h=200'
      imgcache sign --sign-key-file keys --expires 7d '/image?url=https%3A%2F%2Fexample.org%2Fa.jpg'

      Signed are the path, '?', and the decoded query without sig, sorted by key and then value, each pair encoded by
      RFC 3986 and joined by '&': HMAC-SHA256 in lower-case hex. kid names the key, exp (Unix seconds) ends it.
      """)

  @Argument(help: .value("url", "URLs, or their paths with the query.")) var urls: [String]
  @Option(help: .value("file", "NAME:SECRET a line; the first one signs.")) var signKeyFile: String
  @Option(help: .value("name", "Sign with the key of this name.")) var kid: String?

  @Option(help: .value("duration", "How long the URL is valid (default: for ever)."))
  var expires: TimeQuantity?

  @OptionGroup(title: "Common") var common: CommonOptions

  func run() throws {
    let signer = URLSigner(keys: try SigningKeyFile.read(signKeyFile))
    let end = expires.map { Date() + Double($0.duration.components.seconds) }
    for url in urls {
      let signed = try signer.sign(url, keyName: kid, expires: end)
      common.report.result(["url": url, "signed": signed], text: signed)
    }
  }
}
