import CacheSimulation
import Foundation
import Testing

@testable import CachePolicies
@testable import ImageCodecs
@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

private let url = "http://test.invalid/a.jpg"

@Suite struct `Recording accesses` {
  private let scratch: Scratch
  private let path: String

  init() throws {
    scratch = try Scratch()
    path = scratch / "trace.csv"
  }

  @Test func `a pipeline's accesses become a trace that can be simulated`() async throws {
    let recorder = try CacheTraceRecorder(path: path) {
      Date(timeIntervalSince1970: 1_592_300_000)
    }
    let fixture = try PipelineFixture(in: scratch) { $0.observers = [recorder] }
    var small = ImageRequest(url: url)
    small.processors = [Resize(PixelSize(width: 8, height: 6))]

    _ = try await fixture.pipeline.data(for: ImageRequest(url: url))
    for _ in 0..<2 { _ = try await fixture.pipeline.image(for: small) }
    fixture.fetcher.become { _ in throw StubFetcher.failure(404) }
    _ = try? await fixture.pipeline.data(for: ImageRequest(url: url + "?2"))
    try recorder.finish()
    let trace = try TraceReader.read(path)

    let lines = try lines()
    #expect(lines[0].hasSuffix(",\(url),\(SampleImages.photo.count)"))
    #expect(lines[1] == lines[2] && lines[1].contains("\(url)#full|"))
    #expect(lines[1].hasSuffix(",\(4 * 8 * 6)"))
    #expect(lines[3].hasSuffix(",\(url)?2,0"))
    #expect(trace.facts.requestCount == 4 && trace.facts.objectCount == 3)
  }

  @Test func `a trace of a clock before 1970 is continued`() throws {
    for seconds in [-3.25, -1.5, 2] {
      let recorder = try CacheTraceRecorder(path: path) {
        Date(timeIntervalSince1970: seconds)
      }
      recorder.record("k", byteCount: 1)
      try recorder.finish()
    }

    #expect(try lines() == ["-3.250,k,1", "-1.500,k,1", "2.000,k,1"])
  }

  @Test func `a cancelled request is not recorded as an access`() async throws {
    let recorder = try CacheTraceRecorder(path: path)
    let gate = Gate()
    let fixture = try PipelineFixture(StubFetcher(heldAt: gate)) { $0.observers = [recorder] }

    let load = Task { try await fixture.pipeline.data(for: ImageRequest(url: url)) }
    await gate.arrivals(1)
    load.cancel()
    await #expect(throws: CancellationError.self) { try await load.value }
    try recorder.finish()

    #expect(try lines() == [])
  }

  @Test(arguments: ["", "~", "~/trace.csv"])
  func `a path that only a shell could mean is refused`(path: String) {
    #expect(imageError { try CacheTraceRecorder(path: path) }?.code == .invalidArgument)
    #expect(imageError { try CacheTraceRecorder.check(path: path) }?.code == .invalidArgument)
  }

  @Test func `lines are buffered for a second, and none is lost at the end`() throws {
    let clock = ManualClock()
    let recorder = try CacheTraceRecorder(path: path, clock: { clock.now })

    recorder.record("1", byteCount: 1)
    recorder.record("2", byteCount: 2)
    let atOnce = try lines().count
    clock.advance(by: 1)
    recorder.record("3", byteCount: 3)
    let later = try lines().count
    recorder.record("4", byteCount: 4)
    try recorder.finish()
    recorder.record("5", byteCount: 5)

    #expect((atOnce, later) == (1, 3))
    #expect(try lines().count == 4)
  }

  @Test func `threads and recorders that share a file never break a line`() async throws {
    let recorders = try (0..<2).map { _ in try CacheTraceRecorder(path: path) }
    let key = String(repeating: "k", count: 100)

    await withTaskGroup(of: Void.self) { group in
      for task in 0..<4 {
        group.addTask {
          for number in 0..<2000 {
            recorders[task % 2].record("\(key)\(task)-\(number)", byteCount: 7)
          }
        }
      }
    }
    for recorder in recorders { try recorder.finish() }

    let keys = try lines().map { $0.split(separator: ",") }
    #expect(keys.allSatisfy { $0.count == 3 && $0[1].hasPrefix(key) && $0[2] == "7" })
    #expect(Set(keys.map { $0[1] }).count == 8000)
  }

  @Test func `a file that cannot be opened or written is reported`() throws {
    let unwritable = imageError { try CacheTraceRecorder(path: scratch / "none/trace.csv") }
    let full = try CacheTraceRecorder(path: "/dev/full")

    full.record("a", byteCount: 1)
    let lost = imageError { try full.finish() }

    #expect(unwritable?.code == .storeFailed && lost?.code == .storeFailed)
  }

  @Test func `a partial line of a killed recorder is cut off, unless another one records`() throws {
    let torn = "1.000,a,10\n2.000,http://x/b"
    func record(_ key: String) throws {
      let recorder = try CacheTraceRecorder(path: path) { Date(timeIntervalSince1970: 3) }
      recorder.record(key, byteCount: 5)
      try recorder.finish()
    }
    for text in [torn, "", "1.000,a,10\n"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      try record("c")
      #expect(try lines() == (text.isEmpty ? [] : ["1.000,a,10"]) + ["3.000,c,5"])
    }

    let other = try CacheTraceRecorder(path: path)
    try Data(torn.utf8).write(to: URL(fileURLWithPath: path))
    try record("c")

    #expect(try lines().last == "2.000,http://x/b3.000,c,5")
    try other.finish()
  }

  @Test(arguments: [
    "my notes, no newline", "my notes\nand more", "my notes\n", "2.000,b", "a,b,c\n1.000,x,2",
    "1.000,a,10\nremarks\n", "1,a,10\n2,b,20", "\n", String(repeating: "x", count: 2_000_000),
  ])
  func `a file that is not a trace is refused and stays as it is`(text: String) throws {
    let file = URL(fileURLWithPath: scratch / "notes")
    try Data(text.utf8).write(to: file)

    let errors = [
      #expect(throws: ImageError.self) { try CacheTraceRecorder(path: file.path) },
      #expect(throws: ImageError.self) { try CacheTraceRecorder.check(path: file.path) },
    ]

    for error in errors {
      #expect(error?.code == .invalidArgument)
      #expect(error?.message.contains("notes is not a cache trace") == true)
    }
    #expect(try Data(contentsOf: file) == Data(text.utf8))
  }

  @Test func `the check of a file neither makes it nor cuts its partial line off`() throws {
    try CacheTraceRecorder.check(path: path)
    #expect(!FileManager.default.fileExists(atPath: path))

    for text in ["", "1.000,a,10\n", "1.000,a,10\n2.000,http://x/b"] {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      try CacheTraceRecorder.check(path: path)
      #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == Data(text.utf8))
    }
    try #require(mkfifo(scratch / "pipe", 0o600) == 0)
    try CacheTraceRecorder.check(path: scratch / "pipe")
  }

  @Test func `a file of the names of the fields alone is a trace`() throws {
    try Data("time,key,size\n".utf8).write(to: URL(fileURLWithPath: path))

    let recorder = try CacheTraceRecorder(path: path) { Date(timeIntervalSince1970: 3) }
    recorder.record("c", byteCount: 5)
    try recorder.finish()

    #expect(try lines() == ["time,key,size", "3.000,c,5"])
  }

  private func lines() throws -> [Substring] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
  }
}
