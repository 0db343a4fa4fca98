import ArgumentParser
import Testing

@testable import imgcache
@testable import TestSupport

@Suite(.isLong) struct `Options that contradict each other or are out of range` {
  /// The message and the exit status of a command line that the parser refuses.
  private func refusal(of words: [String]) -> (message: String, status: Int32)? {
    do {
      _ = try ImgCache.parseAsRoot(words)
      return nil
    } catch {
      return (ImgCache.message(for: error), ImgCache.exitCode(for: error).rawValue)
    }
  }

  /// Command lines and why the parser refuses them.
  private static let refusals = """
    prefetch --days 0 -> --days is between 1 and 20000
    prefetch --export-links -> --export-links needs --export: it concerns the copies made there
    prefetch --sample --feed a -> --sample has its own feed: it cannot be combined with --api or --feed
    prefetch --api http://a --feed b -> --feed replaces Zhihu Daily: it cannot be combined with --api
    prefetch --revalidate --offline -> --revalidate and --offline exclude each other: give one of them
    prefetch --concurrency 0 -> --concurrency and --per-host are between 1 and 1000
    prefetch --per-host 1001 -> --concurrency and --per-host are between 1 and 1000
    prefetch --retries 101 -> --retries is between 0 and 100
    prefetch --max-bytes 0 -> --max-bytes and --limit-rate are positive
    prefetch --proxy ftp://a -> --proxy is HOST:PORT, or a URL with one of http, https, socks4, socks4a, \
    socks5 and socks5h
    thumb --size 1x1 -> Missing expected argument '<url|file> ...'
    thumb --size 1x1 -0 a.png -> -0 separates the inputs of --files-from, which is not given
    thumb --size 1x1 - --files-from - -> stdin ('-') can be read only once
    thumb --size 1x1 a.png b.png -> Several inputs need a folder to write to, such as -o DIR/, or a template
    thumb --size 1x1 a.png b.png -o c -> Several inputs need a folder to write to, such as -o c/, or a template
    thumb --size 1x1 a -o b.png --format jpeg -> --format jpeg contradicts the extension of "b.png"; \
    leave out one
    thumb --size 1x1 a -o b.jpg --quality lossless -> --quality lossless is for PNG, WebP and AVIF, not JPEG
    thumb --size 1x1 a.png --json -> With --json stdout has the JSON; name a file for the image with -o
    thumb --size 1x1 a.png --frame=-1 -> --frame counts from 0
    thumb --size 1x1 a.png --max-scans=-1 -> limits are positive numbers
    path http://example.org/a --make -> --make needs --size: it makes that thumbnail
    path a.png -> "a.png" is not a URL that can be fetched; a URL begins with http://, https:// or s3://
    show a.gif --loops 65537 -> --loops is between 0 and 65536
    show a.gif --once --loops 1 -> --once is --loops 1: give one of them
    sheet latest -o a.png --quality 0 -> --quality is between 1 and 100
    sheet latest -o a.png --columns 1001 -> --per-page is between 1 and 10000, --columns between 1 and 1000
    sheet latest -o a.png --cell 15x200 -> --cell has at least 16 pixels a side
    rm 20200616 --all -> say what to remove: URLs, days, --tag, --older-than or --all, one of them
    pin -> Missing day; name one, or several
    serve --socket-mode 888 -> --socket-mode is octal, for example 660
    serve --max-connections 0 -> --max-connections is 1 to 1000000
    serve --max-concurrency 1025 -> --max-concurrency is 1 to 1024, --max-queue at most 1000000
    serve --round-size 0 -> --round-size is 1 to 4096, --max-thumbnail-side 1 to 65535
    serve --path-prefix img -> --path-prefix is a path such as /img, of letters, digits and -._~
    serve --path-prefix / -> --path-prefix is a path such as /img, of letters, digits and -._~
    serve --path-prefix /a/../b -> --path-prefix is a path such as /img, of letters, digits and -._~
    serve --path-prefix /a?b -> --path-prefix is a path such as /img, of letters, digits and -._~
    serve --cors example.org -> --cors is an origin such as https://example.org, in lower case and \
    without a path, or * alone
    serve --cors https://example.org/ -> --cors is an origin such as https://example.org, in lower case and \
    without a path, or * alone
    serve --cors * --cors https://example.org -> --cors is an origin such as https://example.org, in lower \
    case and without a path, or * alone
    serve --root photos -> --root is NAME=DIR, for example photos=/srv/photos, each name once
    serve --root a/b=/srv -> --root is NAME=DIR, for example photos=/srv/photos, each name once
    serve --root a=/srv --root a=/tmp -> --root is NAME=DIR, for example photos=/srv/photos, each name once
    sign --sign-key-file k --size 1x1 /thumb?url=a -> --preset and --size need --server
    sign --sign-key-file k --server example.org a -> --server is an http or https URL without a query, for \
    example https://thumbs.example.org
    serve --presets-only -> --presets-only needs a --preset
    serve --auto jpeg -> The value 'jpeg' is invalid for '--auto <formats>'
    prefetch --feed ftp://u:p@h/a -> --feed takes an http or https URL or a file, and "ftp://u:p@h/a" has another scheme
    serve --preset card -> --preset is NAME=QUERY, for example card=w=300&h=200
    """.split(separator: "\n").map { $0.split(separator: " -> ").map(String.init) }

  @Test(arguments: refusals)
  func `are refused with the reason`(row: [String]) throws {
    let refused = try #require(refusal(of: row[0].split(separator: " ").map(String.init)))

    #expect(refused.message == row[1])
    #expect(refused.status == 64)
  }

  @Test(arguments: [
    "thumb --size 1x1 a.png -o b.JPG --format jpeg", "thumb --size 1x1 a.png b.png -o new/",
    "thumb --size 1x1 - --files-from list -o new/", "show a.gif --loops 0",
    "prefetch --proxy example.org:3128", "prefetch --proxy SOCKS5H://example.org:1080",
    "prefetch --retries 0", "serve --socket-mode 777",
    "serve --preset card=w=300",
    "serve --cors https://example.org:8443 --cors capacitor://localhost",
    "serve --only images --root photos=/srv --default fit=inside",
    "sheet latest -o a.png --cell 16x16",
  ])
  func `are accepted up to their limits`(line: String) {
    #expect(refusal(of: line.split(separator: " ").map(String.init))?.message == nil)
  }
}
