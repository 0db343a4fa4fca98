import ArgumentParser
import ImageModel

/// The options of private origins.
struct OriginOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Send a header to this host and to no other, for example 'example.org: Authorization: Bearer …'; repeat it.",
      discussion: """
        @FILE as the value reads it from a file, which keeps it from the list of processes. HOST:PORT limits it to a port. \
        After a redirect elsewhere it is not sent any more.
        """, valueName: "host: name: value"))
  var originHeader: [String] = []

  /// The headers, with those of files read.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for a malformed header, a file that cannot
  ///   be read or has no valid value; no message contains a value.
  func headers() throws(ImageError) -> OriginHeaders {
    try OriginHeaders(originHeader) { path throws(ImageError) in
      do throws(ImageError) {
        return try InputFile.read(path, maximum: 64 << 10)
      } catch {
        throw ImageError(.invalidArgument, "The file of an origin header: \(error.message)")
      }
    }
  }
}

/// Whether a server uses private entries.
struct PrivateEntryOptions: ParsableArguments {
  @Flag(
    help: ArgumentHelp(
      "Also serve entries that were fetched with other --origin-header values or marked private or no-store.",
      discussion: "Without it, such an entry of the cache directory is as if it were not there."))
  var allowPrivateEntries = false
}
