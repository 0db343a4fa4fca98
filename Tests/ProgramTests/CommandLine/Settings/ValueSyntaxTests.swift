import ArgumentParser
import Testing

@testable import TestSupport
@testable import imgcache

@Suite struct `The way out of an invalid value` {
  /// The message on stderr for a command line that the parser refuses.
  private func message(for words: [String]) throws -> String {
    let error = try #require(throws: (any Error).self) { _ = try ImgCache.parseAsRoot(words) }
    return ValueSyntax.explained(ImgCache.message(for: error))
  }

  private static let values = """
    thumb a --size 200 -> --size <WxH>': write width and height up to 65535: 200x200, or 640x0 if one is free
    thumb a --size 1x1 --quality 0 -> --quality <1-100|lossless>': write a whole number from 1 to 100, or lossless
    thumb a --size 1x1 --background red -> --background <RRGGBB>': write six hexadecimal digits: ffffff
    thumb a --size 1x1 --focus 2,2 -> --focus <X,Y|auto>': write two shares from 0 to 1, such as 0.5,0.3, or auto
    prefetch --thumbnails 9 -> --thumbnails <WxH[:FIT]>': write width and height up to 65535, and fit: \
    200x200:cover, or 640x0:inside
    prefetch --concurrency many -> --concurrency <n>': write a whole number
    prefetch --max-bytes much -> --max-bytes <bytes>': write a number of bytes below 8 EiB: 500000, 64MiB or 2GB
    serve --auto jpeg -> --auto <formats>': write avif, webp, both with a comma between them, or none
    serve --listen 8780 -> --listen <host:port|unix:path>': write 127.0.0.1:8780, with a port up to 65535, or unix:/run/imgcache.sock, a path of at most 107 bytes
    serve --idle-time 5x -> --idle-time <duration>': write 500ms, 30s, 5m, 12h, 7d or 1h30m
    """.split(separator: "\n").map { $0.split(separator: " -> ").map(String.init) }

  @Test(.isLong, arguments: values)
  func `is what to write instead`(row: [String]) throws {
    let words = row[0].split(separator: " ").map(String.init)

    #expect(
      try message(for: words) == "The value '\(words.last ?? "")' is invalid for '\(row[1])")
  }

  @Test func `is the list of values on one line, with the one that was meant`() throws {
    let few = try message(for: ["thumb", "a", "--size", "1x1", "--fit", "covr"])
    let many = ValueSyntax.explained(
      "The value 'lr' is invalid for '--eviction <policy>'. Please provide one of the following:"
        + "\n  - arc\n  - lru\n  - sieve")

    #expect(few.hasPrefix("The value 'covr' is invalid for '--fit <fit>'."))
    #expect(few.hasSuffix(" Did you mean 'cover'?"))
    #expect(
      many
        == "The value 'lr' is invalid for '--eviction <policy>'. Please provide one of "
        + "'arc', 'lru', 'sieve'. Did you mean 'lru'?")
  }

  @Test(arguments: [
    ("latst", "; did you mean 'latest'?"), ("Yesterdy", "; did you mean 'yesterday'?"),
    ("20209999", ""), ("never", ""),
  ])
  func `of a day is the word that was meant`(word: String, hint: String) {
    let text = "The value '\(word)' is invalid for '<day>': not a day"

    #expect(ValueSyntax.explained(text) == text + hint)
  }

  @Test(arguments: [
    "Unknown option '--x'", "Missing expected argument '<url>'", "", "The value ''' is",
    "The value '5x' is invalid for '--max-age <duration>': Missing unit",
  ])
  func `is not added to other messages`(text: String) {
    #expect(ValueSyntax.explained(text) == text)
  }
}
