import Foundation
import Testing

@testable import DiskCaching
@testable import ImageFeeds
@testable import ImageModel
@testable import TestSupport
@testable import ThumbnailServer

/// Caches that are missing, or not writable, or no longer writable.
@Suite(.needsProgram) struct `A cache that cannot be written to` {
  let scratch: Scratch
  let picture = SampleImages.widePhoto

  init() throws { scratch = try Scratch() }

  private var directory: String { scratch / "cache" }

  private func open(
    _ access: DiskCache.Access, files: any FileSystem = POSIXFileSystem(),
    log: @escaping @Sendable (String) -> Void = { _ in }
  ) throws -> DiskCache {
    var configuration = DiskCache.Configuration(directory: directory)
    configuration.maximumByteCount = 16 << 20
    configuration.access = access
    configuration.log = log
    return try DiskCache(configuration, files: files)
  }

  private func key(_ name: String) -> CacheKey { .original(url: "https://example.com/\(name)") }

  private func fill(_ cache: DiskCache, _ names: String...) async throws {
    for name in names {
      var record = CacheRecord(key: key(name), at: Date())
      record.format = .jpeg
      record.headers = HeaderText([.cacheControl: "max-age=600"])
      try await cache.store(picture, record)
    }
  }

  /// Every path below the directory with its length and modification time.
  private func snapshot() throws -> [String] {
    let names = FileManager.default.enumerator(atPath: directory)?.allObjects as? [String] ?? []
    return try names.sorted().map { name in
      let facts = try FileManager.default.attributesOfItem(atPath: directory + "/" + name)
      return "\(name) \(facts[.size] ?? 0) \(facts[.modificationDate] ?? "")"
    }
  }

  /// Commands that read, with their status for a cache with the image and for a missing
  /// cache.
  static let commands: [(words: [String], kept: Int32, absent: Int32)] = [
    (["ls"], 0, 0), (["stats"], 0, 0), (["verify"], 0, 0), (["explain", "URL"], 0, 0),
    (["path", "URL"], 0, 1), (["info", "URL"], 0, 1),
    (["get", "--offline", "URL", "-o", "FILE"], 0, 1),
    (["thumb", "--offline", "--size", "8x8", "URL", "-o", "FILE.jpg"], 0, 1),
  ]

  private func arguments(_ words: [String]) -> [String] {
    words.map {
      $0.replacingOccurrences(of: "URL", with: "https://example.com/a.jpg")
        .replacingOccurrences(of: "FILE", with: scratch / "out")
    } + ["--cache-dir", directory]
  }

  /// Runs a command that sees the directory through a read-only mount.
  private func runReadOnly(_ words: [String]) async throws -> Tool.Outcome {
    try await ReadOnlyMount.tool.run(
      ReadOnlyMount.arguments(for: directory, [Tool.imgcache.path] + arguments(words)))
  }

  /// Makes the table that of an earlier start of the machine: it may lack changes of the log.
  private func spoilTable() throws {
    let file = try FileHandle(
      forUpdating: URL(fileURLWithPath: directory + "/index.table"))
    try file.seek(toOffset: UInt64(8 * EntryTable.Word.boot))
    try file.write(contentsOf: Data(repeating: 7, count: 8))
    try file.close()
  }

  @Test(
    .enabled(if: ReadOnlyMount.isPossible, "needs unshare and mount"), arguments: [false, true])
  func `every reading command works on a read-only mount`(isRestarted: Bool) async throws {
    let cache = try open(.create)
    try await fill(cache, "a.jpg")
    await cache.close()
    if isRestarted { try spoilTable() }
    let before = try snapshot()

    for command in Self.commands {
      let outcome = try await runReadOnly(command.words)

      #expect(outcome.status == command.kept, "\(command.words): \(outcome.errors)")
    }
    #expect(try await runReadOnly(["ls"]).output.contains("https://example.com/a.jpg"))
    for words in [["rm", "--all"], ["path", "URL", "--size", "3x3", "--make"]] {
      let outcome = try await runReadOnly(words)
      #expect(outcome.status == 2 && outcome.errors.contains("not writable"), "\(words)")
    }
    #expect(try snapshot() == before)
    // What a writer has stored, and not closed.
    guard !isRestarted else { return }
    let writer = try open(.create)
    try await fill(writer, "b.jpg")
    #expect(try await runReadOnly(["ls"]).output.contains("https://example.com/b.jpg"))
    await writer.close()
  }

  @Test func `reading commands report a missing cache and create none`() async throws {
    for command in Self.commands + [(["gc"], 0, 0), (["rm", "--all"], 0, 0)] {
      let outcome = try await Tool.imgcache.run(arguments(command.words))

      #expect(outcome.status == command.absent, "\(command.words): \(outcome.errors)")
      #expect(outcome.errors.contains("no cache in \(directory)"), "\(command.words)")
      #expect(!FileManager.default.fileExists(atPath: directory))
    }
  }

  @Test func `a directory that is not a cache is left unchanged`() async throws {
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    try Data("mine".utf8).write(to: URL(fileURLWithPath: directory + "/letter"))

    for words in [["ls"], ["verify", "--repair"], ["gc"], ["rm", "--all"]] {
      let outcome = try await Tool.imgcache.run(arguments(words))

      #expect(outcome.status == 0, "\(words): \(outcome.errors)")
    }

    #expect(try FileManager.default.contentsOfDirectory(atPath: directory) == ["letter"])
  }

  @Test func `a cache opened for reading serves entries, and stores fail with a reason`()
    async throws
  {
    try await fill(try open(.create), "a.jpg")
    let files = FaultyFileSystem(.init(call: 1, lasts: true, only: "mayWrite"))

    let cache = try open(.existing, files: files)

    #expect(await cache.read(key("a.jpg"))?.bytes == picture)
    #expect(await cache.path(for: key("a.jpg")) != nil)
    #expect(await cache.list().count == 1)
    #expect(await cache.statistics().entryCount == 1)
    #expect(!(try await cache.verify().isDamaged))
    let error = await #expect(throws: ImageError.self) { try await fill(cache, "b.jpg") }
    #expect(error?.code == .cacheUnusable)
    #expect(error?.message.contains("not writable") == true)
    #expect(try cache.core.partialBodies.store.openPartial(for: "u") == nil)
    let partials = try FileManager.default.contentsOfDirectory(atPath: directory + "/partial")
    #expect(partials == [])
  }

  @Test func `a reader notices what is written after it was opened`() async throws {
    let writer = try open(.create)
    try await fill(writer, "a.jpg")
    await writer.close()
    let files = FaultyFileSystem(.init(call: 1, lasts: true, only: "mayWrite"))
    let reader = try open(.existing, files: files)
    #expect(await reader.read(key("b.jpg")) == nil)

    try await fill(writer, "b.jpg")
    #expect(await reader.read(key("b.jpg"))?.bytes == picture)
    try await writer.remove([key("a.jpg")])
    await writer.close()

    #expect(await reader.read(key("a.jpg")) == nil)
    #expect(await reader.read(key("b.jpg"))?.bytes == picture)
  }

  /// The table was made before the last start of the machine, or its writer died replacing it.
  @Test(arguments: [false, true], [false, true])
  func `a reader with the log alone uses the table once a writer has made one`(
    isReplaced: Bool, isRemoval: Bool
  ) async throws {
    try await fill(try open(.create), "a.jpg", "b.jpg")
    if isReplaced {
      EntryTable.markReplaced(at: directory + "/index.table", in: POSIXFileSystem())
    } else {
      try spoilTable()
    }
    let files = FaultyFileSystem(.init(call: 1, lasts: true, only: "mayWrite"))
    let reader = try open(.existing, files: files)
    #expect(await reader.read(key("a.jpg"))?.bytes == picture)

    let writer = try open(.create)
    if isRemoval {
      try await writer.remove([key("a.jpg")])
      // No miss tells the reader.
      let key = key("a.jpg")
      await Condition.until { reader.core.record(for: key) == nil }
    } else {
      try await fill(writer, "c.jpg")
      #expect(await reader.read(key("c.jpg"))?.bytes == picture)
    }
    #expect(await reader.read(key("b.jpg"))?.bytes == picture)
    try await writer.remove([key("b.jpg")])
    #expect(await reader.read(key("b.jpg")) == nil)
  }

  @Test func `a disk that fills up is reported once, and once more after it had room`() async throws
  {
    let files = FaultyFileSystem()
    let lines = Locked<[String]>([])
    let cache = try open(.createOrRead, files: files) { line in lines.withLock { $0.append(line) } }
    try await fill(cache, "a.jpg")

    files.set(.init(call: 1, number: ENOSPC, lasts: true, only: "create"))
    for name in ["b.jpg", "c.jpg"] {
      await #expect(throws: ImageError.self) { try await fill(cache, name) }
    }
    #expect(await cache.read(key("a.jpg"))?.bytes == picture)
    files.set(.init())
    try await fill(cache, "d.jpg")
    files.set(.init(call: 1, number: EROFS, lasts: true, only: "create"))
    await #expect(throws: ImageError.self) { try await fill(cache, "e.jpg") }

    #expect(lines.withLock { $0.count } == 2, "\(lines.withLock { $0 })")
    #expect(lines.withLock { $0.first }?.contains("disk is full") == true)
    files.set(.init())
  }

  @Test(.enabled(if: ReadOnlyMount.isPossible, "needs unshare and mount"))
  func `serve starts on a read-only mount, serves its entries and stores nothing`() async throws {
    let origin = try FaultyOrigin([
      "/a.jpg": [.whole(picture, fields: ["Cache-Control: max-age=600"])],
      "/b.jpg": [.whole(picture, fields: ["Cache-Control: max-age=600"])],
    ])
    let kept = try await Tool.imgcache.run([
      "get", origin.url("/a.jpg"), "-o", scratch / "a.jpg", "--cache-dir", directory,
    ])
    #expect(kept.status == 0)
    let before = try snapshot()
    let served = try Scratch()
    let child = try ReadOnlyMount.tool.start(
      ReadOnlyMount.arguments(
        for: directory,
        [
          Tool.imgcache.path, "serve", "--json", "--listen", "127.0.0.1:0", "--allow-host",
          "127.0.0.1", "--allow-private-network", "--cache-dir", directory,
        ]), writingTo: served)
    let (port, _) = try await child.listening(from: served)
    func get(_ target: String) async throws -> RawAnswer {
      try await OffPool.run { try RawClient(port: port).exchange("GET", target, lines: []) }
    }
    func image(_ path: String) -> String { "/image?url=\(QueryPairs.encoded(origin.url(path)))" }

    let first = try await get(image("/a.jpg"))
    let other = try await get(image("/b.jpg"))
    let again = try await get(image("/b.jpg"))
    let thumb = try await get("/thumb?url=\(QueryPairs.encoded(origin.url("/a.jpg")))&w=8&h=8")
    let ready = try await get("/readyz")
    child.signal(SIGTERM)
    let status = try await child.end()

    #expect([first, other, again, thumb].map(\.status) == [200, 200, 200, 200])
    #expect([first, other, again].allSatisfy { $0.body == picture })
    #expect(ready.status == 200)
    #expect(status == 0)
    #expect(origin.requests.filter { $0.path == "/a.jpg" }.count == 1)
    let errors = try String(contentsOfFile: served / "errors", encoding: .utf8)
    #expect(errors.components(separatedBy: "is not writable").count == 2, "\(errors)")
    #expect(try snapshot() == before)
  }
}
