import ArgumentParser
import ImagePipeline
import ThumbnailServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `imgcache sign URL`: makes a signed URL for a server that wants them.
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

  @Argument(help: ArgumentHelp("URLs, or their paths with the query.", valueName: "url"))
  var urls: [String]

  @Option(
    name: .customLong("sign-key-file"),
    help: ArgumentHelp("NAME:SECRET a line; the first one signs.", valueName: "file"))
  var signKeyFile: String

  @Option(help: ArgumentHelp("Sign with the key of this name.", valueName: "name"))
  var kid: String?

  @Option(
    help: ArgumentHelp("How long the URL is good for (default: for ever).", valueName: "duration"))
  var expires: TimeQuantity?

  @OptionGroup(title: "Common") var common: CommonOptions

  func run() throws {
    let signer = URLSigner(keys: try SigningKeyFile.read(signKeyFile))
    let end = expires.map { Date() + Double($0.duration.components.seconds) }
    for url in urls {
      let signed = try signer.sign(url, keyName: kid, expires: end)
      if common.json {
        common.report.object(["url": url, "signed": signed])
      } else {
        common.report.line(signed)
      }
    }
  }
}
