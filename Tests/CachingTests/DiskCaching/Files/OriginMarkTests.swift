import Foundation
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `Marks of entries that were fetched with fields for their host`: OnDisk {
  let folder = CacheFolder()
  private let url = "https://a.org/x"

  private func open(
    _ headers: [String] = [], files: any FileSystem = POSIXFileSystem()
  ) throws -> DiskStore {
    try open(files) { $0.originHeaders = try OriginHeaders(headers) }
  }

  private var keyPath: String { path("origin-key") }
  private static let secret = "a.org: Authorization: Bearer 1234"

  private func covers(_ mark: [UInt8], _ store: DiskStore) -> Bool {
    var record = record("x")
    record.originMark = mark
    return store.covers(record)
  }

  @Test func `are empty without fields for the host, and no key is made`() throws {
    let store = try open()

    #expect(store.mark(ofURL: url) == [])
    #expect(store.mark(of: OriginHeaders()) == [])
    for url in ["https://b.org/x", "no URL"] {
      #expect(try open([Self.secret]).mark(ofURL: url) == [])
    }
    #expect(!exists("origin-key"))
    #expect(try covers([], store) && covers([], open([Self.secret])))
  }

  @Test func `have sixteen bytes a field, the same for each URL, scheme and process`() throws {
    let mark = try open([Self.secret]).mark(ofURL: url)

    #expect(mark.count == 16)
    #expect(try open([Self.secret]).mark(ofURL: "http://a.org/other") == mark)
    let two = try open([Self.secret, "a.org: X-Tenant: 7"]).mark(ofURL: url)
    #expect(two.count == 32)
    #expect(try open(["a.org: X-Tenant: 7", Self.secret]).mark(ofURL: url) == two)
    #expect(stride(from: 0, to: 32, by: 16).contains { Array(two[$0..<$0 + 16]) == mark })
  }

  @Test func `are keyed, so another directory has others`() throws {
    let mark = try open([Self.secret]).mark(ofURL: url)
    let other = try open(POSIXFileSystem()) {
      $0.directory = folder.directory.path("other")
      $0.originHeaders = try OriginHeaders([Self.secret])
    }

    #expect(other.mark(ofURL: url) != mark)
    #expect(!covers(mark, other))
  }

  @Test func `are covered by a process that sends all of their fields`() throws {
    let both = try open(["a.org: X-A: 1", "a.org: X-B: 2"])
    let mark = both.mark(ofURL: url)

    #expect(covers(mark, both))
    #expect(try covers(mark, open(["a.org: X-B: 2", "a.org: X-A: 1", "b.org: X-C: 3"])))
    #expect(try !covers(mark, open(["a.org: X-A: 1"])))
    #expect(try !covers(mark, open(["a.org: X-A: 1", "a.org: X-B: 3"])))
    #expect(try !covers(mark, open()))
  }

  @Test(arguments: [1, 15, 17, 31])
  func `that are cut off or too long are not covered`(count: Int) throws {
    let store = try open([Self.secret])
    let mark = store.mark(ofURL: url)

    #expect(!covers(Array((mark + mark).prefix(count)), store))
  }

  @Test func `have a key of 32 bytes that its owner alone may read`() throws {
    _ = try open([Self.secret]).mark(ofURL: url)

    let facts = try FileManager.default.attributesOfItem(atPath: keyPath)

    #expect(facts[.size] as? Int == 32)
    #expect(facts[.posixPermissions] as? Int == 0o600)
    #expect(files(under: "tmp") == [])
  }

  @Test(arguments: [0, 31, 33])
  func `get a new key in place of one of another length`(byteCount: Int) throws {
    let mark = try open([Self.secret]).mark(ofURL: url)
    try Data(count: byteCount).write(to: URL(fileURLWithPath: keyPath))

    let store = try open([Self.secret])
    let other = store.mark(ofURL: url)

    #expect(other.count == 16 && other != mark)
    #expect(covers(other, store) && !covers(mark, store))
    #expect(try Data(contentsOf: URL(fileURLWithPath: keyPath)).count == 32)
  }

  @Test func `match nothing in place of a key that cannot be read, which stays`() throws {
    try FileManager.default.createDirectory(atPath: keyPath, withIntermediateDirectories: true)
    let store = try open([Self.secret])

    #expect(!covers(store.mark(ofURL: url), store))
    #expect(exists("origin-key/."))
  }

  @Test func `match nothing where no key can be written`() throws {
    let files = FaultyFileSystem()
    let store = try open([Self.secret], files: files)
    files.set(.init(call: 1, number: ENOSPC, lasts: true, only: "write"))

    let (first, second) = (store.mark(ofURL: url), store.mark(ofURL: url))

    #expect(first.count == 16 && first != second)
    #expect(!covers(first, store))
    files.set(.init())
    #expect(!exists("origin-key"))
    #expect(self.files(under: "tmp") == [])
    // As soon as it can be written, entries are found again.
    #expect(covers(store.mark(ofURL: url), store))
  }

  @Test func `are one key for two processes that begin at once`() throws {
    let stores = try (0..<4).map { _ in try open([Self.secret]) }
    let marks = Locked<[[UInt8]]>([])

    DispatchQueue.concurrentPerform(iterations: 4) { number in
      let mark = stores[number].mark(ofURL: url)
      marks.withLock { $0.append(mark) }
    }

    #expect(Set(marks.withLock { $0 }).count == 1)
  }
}
