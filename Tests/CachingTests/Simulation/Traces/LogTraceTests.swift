import Foundation
import ImageModel
import Testing

@testable import CacheSimulation
@testable import TestSupport

@Suite struct `Traces of access logs` {
  private let folder: Scratch

  init() throws { folder = try Scratch() }

  private func read(
    _ text: String, as name: String = "access.log", format: TraceFormat? = nil,
    sampleRate: Double = 1
  ) throws -> CacheTrace {
    try TraceReader.read(
      folder.write(text, to: name), format: format, sampleRate: sampleRate, keepsTimes: true)
  }

  private func line(
    _ target: String, _ status: Int = 200, _ size: Int = 10, method: String = "GET", second: Int = 0
  ) -> String {
    let time = second < 10 ? "0\(second)" : "\(second)"
    return
      "192.0.2.1 - - [27/Nov/2026:08:46:\(time) +0000] \"\(method) \(target) HTTP/1.1\" \(status) "
      + "\(size) \"-\" \"Mozilla/5.0 (X11; Linux) Gecko (KHTML, like)\"\n"
  }

  @Test func `have the objects that were sent, with the times of the lines`() throws {
    let text = line("/a", 200, 10) + line("/b", 200, 20, second: 3) + line("/a", 200, 10, second: 4)

    let trace = try read(text)

    #expect(trace.name == "access.log")
    #expect(trace.keys == [0, 1, 0])
    #expect(trace.sizes == [10, 20, 10])
    #expect(trace.times.map { $0.map { $0 - 1_795_769_160 } } == [0, 3, 4])
    #expect(trace.leftOut == nil)
  }

  @Test func `count a 304 and a part as a request for the whole object`() throws {
    let text =
      line("/a", 304, 0) + line("/a", 206, 3) + line("/a", 200, 10) + line("/a", 304, 0)
      + line("/c", 206, 5) + line("/b", 304, 0) + line("/a", 200, 12) + line("/a", 206, 3)

    let trace = try read(text)

    #expect(trace.keys == [0, 0, 0, 0, 0, 0])
    #expect(trace.sizes == [10, 10, 10, 10, 12, 12])
    #expect(
      trace.leftOut == "6 of 8 lines are requests; left out: 2 for objects whose size no line shows"
    )
  }

  @Test func `number the keys that are left from 0`() throws {
    let trace = try read(
      line("/x", 304, 0) + line("/a") + line("/x", 304, 0) + line("/b") + line("/a"))

    #expect(trace.keys == [0, 1, 0])
    #expect(trace.facts.objectCount == 2 && trace.fullRequestCount == 3)
    #expect(trace.times?.count == 3)
  }

  @Test func `leave out and count what does not request an object`() throws {
    let text =
      line("/a") + line("/a", method: "HEAD") + line("/a", method: "POST") + line("/n", 404, 99)
      + line("/r", 302, 99) + line("/a", 499, 0) + line("/e", 200, 0) + line("/a")
      + "192.0.2.9 - - [27/Nov/2026:08:46:50 +0000] \"\\x16\\x03\\x01\" 400 157 \"-\" \"-\"\n"
      + "\n  \n" + "192.0.2.9 - - [27/Nov/2026:08:46:50 +0000] \"GET /a HTTP/1.1\" 200 -\n"
      + line("/a") + String(line("/a").prefix(60))

    let trace = try read(text)

    #expect(trace.keys == [0, 0, 0])
    #expect(
      trace.leftOut
        == """
        3 of 12 lines are requests; left out: 3 not GET, 3 with a status other than 200, 206 and 304, \
        2 without a body, 1 malformed (the first is line 14)
        """)
  }

  @Test func `may be packed, of several formats, and begin in the middle of a line`() async throws {
    let own = "[Fri, 27 Nov 2026 08:46:50 GMT] \"GET /b\" 200 20 0.000021 memory - 192.0.2.1 -\n"
    let json = "{\"method\":\"GET\",\"target\":\"/a\",\"status\":200,\"bytes\":10}\n"
    let caddy =
      "{\"ts\":1.5,\"request\":{\"method\":\"GET\",\"host\":\"h\",\"uri\":\"/a\"},\"size\":9,\"status\":200}\n"
    let text = "ko) Chrome\"\n" + line("/a") + own + json + caddy
    let packed = try await folder.gzipped(Array(text.utf8))

    let trace = try TraceReader.read(folder.write(packed, to: "access.log.2.gz"))

    #expect(trace.keys == [0, 1, 0, 2])
    #expect(trace.sizes == [10, 20, 10, 9])
    #expect(trace.leftOut?.contains("1 malformed (the first is line 1)") == true)
  }

  @Test func `are refused where more than a tenth of the lines is malformed`() throws {
    let good = (0..<18).map { line("/\($0)") }.joined()
    let bad = "upstream timed out while reading\n"

    let trace = try read(good + bad + bad + line("/a"))
    let error = #expect(throws: ImageError.self) {
      try read(good + bad + bad + bad + line("/a"), as: "worse.log")
    }

    #expect(trace.keys.count == 19)
    #expect(trace.leftOut?.hasSuffix("2 malformed (the first is line 19)") == true)
    #expect(error?.code == .corrupt)
    #expect(
      error?.message == """
        \(folder / "worse.log"): line 19 is not of an access log in the common or combined format, \
        Caddy's JSON or imgcache's own, as 3 of 22 lines are not; up to 10 % would be left out
        """)
  }

  @Test(arguments: [
    "2026-11-27 08:46:50 GET /a.jpg 200\n", "{\"msg\":\"started\",\"level\":\"info\"}\n",
    "hello world\nfoo bar\n", "one, two\nthree, four\n", "word\nlist\n", "7\n8\n7\n", "1,x\n2,y\n",
    "a b 3\nc d 4\n", "name size 17\n", "<html>\n",
  ])
  func `are not seen in other texts, which are refused with the line`(text: String) throws {
    for name in ["access.log", "t.txt", "t"] {
      let error = #expect(throws: ImageError.self) { try read(text, as: name) }

      #expect(error?.code == .corrupt)
      #expect(
        error?.message.contains("line 1 is neither 'time,key,size' nor of an access log") == true)
    }
  }

  @Test func `of two columns are read where names or the caller say so`() throws {
    #expect(try read("time,key\n1,x\n2,y\n3,x\n", as: "t.csv").keys == [0, 1, 0])
    #expect(try read("1,x\n2,y\n3,x\n", as: "u.csv", format: .csv).keys == [0, 1, 0])
    #expect(try read("7\n8\n7\n", as: "u", format: .spaced).keys == [0, 1, 0])
    #expect(throws: ImageError.self) { try read("1,x\n2,y\n", as: "v.csv") }
    #expect(throws: ImageError.self) { try read("0,a,10\n", as: "w.csv", format: .log) }
  }

  @Test func `keep the ratio of a sample where sizes are unknown`() throws {
    let text = (0..<4_000).map { number in
      number % 2 == 0 ? line("/\(number % 400)", 200, 10) : line("/n\(number % 401)", 304, 0)
    }.joined()

    let trace = try read(text, sampleRate: 0.5)

    #expect(trace.sizes.allSatisfy { $0 == 10 })
    #expect(abs(trace.fullRequestCount - 2_000) < 300)
  }
}
