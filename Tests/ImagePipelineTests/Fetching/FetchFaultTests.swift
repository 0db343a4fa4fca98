import Testing

@testable import ImageFeeds
@testable import ImageModel
@testable import TestSupport

/// Faults over real HTTP on loopback; each one has its own code.
@Suite struct `A fault` {
  static let body = [UInt8](repeating: 42, count: 1000)

  /// A script, and the code of the resulting error.
  static let faults: [(name: String, answer: FaultyOrigin.Answer, code: ImageError.Code)] = [
    ("a status of 404", .whole(body, status: 404), .httpStatus),
    ("a status of 500", .whole(body, status: 500), .httpStatus),
    ("an empty body", .whole([]), .emptyBody),
    ("no content", .whole([], status: 204), .emptyBody),
    ("a body cut short", .raw(FaultyOrigin.head(length: 1000) + body.prefix(400)), .shortBody),
    ("a length that lies", .raw(FaultyOrigin.head(length: 5000) + body), .shortBody),
    (
      "a chunked body without its end",
      .raw(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n".utf8)),
      .shortBody
    ),
    (
      "a chunk whose length is not a number",
      .raw(Array("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabcde\r\n".utf8)),
      .protocolError
    ),
    ("a reset before the answer", .rawThenReset([]), .connectionReset),
    (
      "a reset within the body", .rawThenReset(FaultyOrigin.head(length: 1000) + body.prefix(10)),
      .connectionReset
    ),
    ("an end before the answer", .raw([]), .connectionReset),
    ("an answer that is not HTTP", .raw(Array("+OK POP3 ready\r\n\r\n".utf8)), .protocolError),
    ("a part that was not requested", .whole(body, status: 206), .protocolError),
    ("a redirect to itself", .whole([], status: 302, fields: ["Location: /"]), .tooManyRedirects),
    (
      "a redirect to a file", .whole([], status: 302, fields: ["Location: file:///etc/passwd"]),
      .unsupportedScheme
    ),
  ]

  @Test(arguments: faults.indices)
  func `ends the fetch once, with its code`(index: Int) async throws {
    let fault = Self.faults[index]
    let origin = try FaultyOrigin(fault.answer)
    let fixture = try FetcherFixture()

    let error = await fixture.failure(of: origin.url("/"))

    #expect(error?.code == fault.code, "\(fault.name): \(error?.message ?? "no error")")
  }

  @Test func `of a refused connection is connectionFailed`() async throws {
    // Port 1 of a loopback address that no other test's server listens on.
    let error = try await FetcherFixture().failure(of: "http://127.9.8.7:1/")

    #expect(error?.code == .connectionFailed)
  }

  @Test func `of an unresolved name says so`() async throws {
    let error = try await FetcherFixture().failure(of: "http://no-such-host.invalid/")

    #expect(error?.code == .nameNotResolved)
  }

  @Test(arguments: [
    "", "picture.jpg", "http://", "http://a b/", "http://x:99999/", "ht!tp://x/",
    "ftp://example.org/a.jpg",
  ])
  func `of a malformed URL or an unsupported scheme needs no network`(text: String) async throws {
    let error = try await FetcherFixture().failure(of: text)
    #expect(error?.code == (text.hasPrefix("ftp") ? .unsupportedScheme : .invalidURL))
  }
}

@Suite struct `A limit` {
  @Test func `on bytes ends a transfer at its head where Content-Length exceeds it`() async throws {
    let gate = Gate()
    let origin = try FaultyOrigin([
      "/more": [.held(FaultyOrigin.head(length: 1001), gate)],
      "/most": [.whole([UInt8](repeating: 1, count: 1000))],
    ])
    let fixture = try FetcherFixture()

    let error = await fixture.failure(of: origin.url("/more")) { $0.limits.maximumByteCount = 1000 }
    let most = try await fixture.fetch(origin.url("/most")) { $0.limits.maximumByteCount = 1000 }

    #expect(error?.code == .tooLarge)
    #expect(most.body.byteCount == 1000)
  }

  @Test func `on bytes ends an endless body`() async throws {
    let origin = try FaultyOrigin(.endless)
    let meter = TransferMeter()

    let error = try await FetcherFixture().failure(of: origin.url("/")) {
      $0.limits.maximumByteCount = 1_000_000
      $0.meter = meter
    }

    #expect(error?.code == .tooLarge)
    #expect(meter.reading.receivedByteCount <= 1_000_000)
  }

  @Test func `on bytes counts decompressed bytes`() async throws {
    // The bytes of `head -c 100000 /dev/zero | gzip -n -9`, 132 of them.
    let start: [UInt8] = [
      0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xed, 0xc1, 0x31, 0x01, 0x00,
      0x00, 0x00, 0xc2, 0xa0, 0xf5, 0x4f, 0x6d, 0x0d, 0x0f, 0xa0,
    ]
    let end: [UInt8] = [0x80, 0x57, 0x03, 0x7d, 0x95, 0x11, 0xd4, 0xa0, 0x86, 0x01, 0x00]
    let bomb = start + [UInt8](repeating: 0, count: 96) + end
    let origin = try FaultyOrigin(.whole(bomb, fields: ["Content-Encoding: gzip"]))

    let error = try await FetcherFixture().failure(of: origin.url("/")) {
      $0.acceptsCompression = true
      $0.limits.maximumByteCount = 20_000
    }

    #expect(error?.code == .tooLarge)
  }

  @Test func `on speed ends a slow or silent transfer`() async throws {
    let gate = Gate()
    let origin = try FaultyOrigin([
      "/silent": [.held([], gate)],
      "/dripping": [.held(FaultyOrigin.head(length: 5000) + [1, 2, 3], gate)],
    ])
    let fixture = try FetcherFixture()

    for path in ["/silent", "/dripping"] {
      let error = await fixture.failure(of: origin.url(path)) {
        $0.limits.lowSpeedTime = .milliseconds(50)
      }
      #expect(error?.code == .timedOut, "\(path)")
    }
  }

  @Test func `on total time ends a transfer of any speed`() async throws {
    let origin = try FaultyOrigin(.endless)

    let error = try await FetcherFixture().failure(of: origin.url("/")) {
      $0.limits.totalTime = .milliseconds(30)
      $0.limits.maximumByteCount = .max
    }

    #expect(error?.code == .timedOut)
  }
}
