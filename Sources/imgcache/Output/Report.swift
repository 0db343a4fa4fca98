import ImageFeeds
import ImageModel
import TextEncodings

/// Writes the output of a command: data to stdout, everything else to stderr.
struct Report: Sendable {
  var json = false
  var quiet = false
  var verbose = false

  func line(_ text: String) { Stream.write(text.withoutRawBytes + "\n", to: 1) }

  func object(_ event: OutputEvent, _ members: JSONLine) {
    let rest = members.description.dropFirst()
    line("{\"event\":\"\(event.rawValue)\"" + (rest == "}" ? "" : ",") + rest)
  }

  func result(
    _ event: OutputEvent, _ members: @autoclosure () -> JSONLine, text: @autoclosure () -> String
  ) {
    if json { object(event, members()) } else { line(text().escapingControls()) }
  }

  func note(_ text: @autoclosure () -> String) {
    if !quiet { Self.complain(text()) }
  }

  func detail(_ text: @autoclosure () -> String) {
    if verbose { Self.complain(text()) }
  }

  func error(_ text: String) { Self.complain("error: " + text) }

  func hint(_ text: String) { Self.complain("hint: " + text) }

  /// A message is one line: names of files may contain line feeds.
  private static func complain(_ text: String) {
    StatusLine.shared.whileHidden {
      let text = text.withoutRawBytes.namingOptions.escapingControls()
      Stream.write(text.replacing("\n", with: "\\n") + "\n", to: 2)
    }
  }
}

extension String {
  /// The settings that messages of the libraries name, and the options that set them.
  static let options = [
    ("DiskCache.Configuration.directory", "--cache-dir"),
    ("DiskCache.Configuration.maximumByteCount", "--max-size"),
    ("DiskCache.Configuration.minimumFreeByteCount", "--min-free"),
    ("DocumentOptions.isOffline", "--offline"),
    ("HTTPFetcher.Configuration.localRoots", "--root"),
    ("HTTPFetcher.Configuration.mayRedirect", "--allow-host"),
    ("HTTPFetcher.Configuration.proxy", "--proxy"),
    ("HTTPFetcher.Configuration.s3Buckets", "--s3"),
    ("HostGuard.allowsPrivateNetworks", "--allow-private-network"),
    ("ImageLimits.maximumMemoryByteCount", "--max-memory"),
    ("ImageRequest.cache.policy", "--offline"),
    ("ThumbnailServer.Configuration.allowedHosts", "--allow-host"),
    ("ThumbnailServer.Configuration.allowedRoots", "--root"),
    ("ThumbnailServer.Configuration.signingKeys", "--sign-key-file"),
    ("TraceReader.read(format:)", "--trace-format"),
    ("TraceReader.read(sampleRate:)", "--sample"),
  ]

  /// The message with options in place of settings: a user of the program can change only those.
  var namingOptions: String { Self.options.reduce(self) { $0.replacing($1.0, with: $1.1) } }
}

extension FeedReference {
  var json: JSONLine { ["title": title, "url": url] }
}

extension ImageError {
  var json: JSONLine {
    ["code": code.rawValue, "message": message.namingOptions, "status": status]
  }
}
