import Foundation
import HTTPCaching
import HTTPTypes
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `A directory as the store of an HTTP cache` {
  private let directory = TemporaryDirectory()
  private let clock = ManualClock()
  private let url = "https://a.org/x"

  private func open(
    files: any FileSystem = POSIXFileSystem(),
    _ change: (inout DiskCache.Configuration) throws -> Void = { _ in }
  ) throws -> DiskStore {
    var configuration = DiskCache.Configuration(directory: directory.path("cache"))
    configuration.maximumByteCount = 16 << 20
    let clock = clock
    configuration.clock = { clock.now }
    try change(&configuration)
    return try DiskStore(configuration, files: files)
  }

  private func record(
    vary: String = "", status: Int = 200, _ fields: HTTPFields = [:]
  ) -> CacheRecord {
    var record = CacheRecord(key: .original(url: url, vary: vary), at: clock.now)
    record.status = status
    record.headers = HeaderText(fields)
    return record
  }

  private func originals(_ disk: DiskStore?) -> DiskResponseStore {
    DiskResponseStore(disk: disk, kind: .originals)
  }

  @Test func `is empty without a directory, and changes do nothing`() {
    let store = originals(nil)
    var record = record([.eTag: "\"1\""])
    record.content = [1].withUnsafeBytes { CacheContent(of: $0) }
    let entry = DiskResponseStore.Entry(
      record: record, response: StoredResponse(record))

    #expect(store.entries(for: url, request: [:]).isEmpty)
    let updated = store.update(entry, as: entry.response, for: url)
    #expect(updated.record == record && updated.failure == nil)
    store.remove(entry, for: url)
    store.removeAll(for: url)
  }

  @Test func `has all variations of a URL, the latest first`() throws {
    let disk = try open()
    for number in 0..<3 {
      var record = record(vary: "accept: \(number)", [.eTag: "\"\(number)\""])
      record.responseTime = clock.now + Double(number)
      try disk.store([UInt8(number)], record)
    }

    let found = originals(disk).entries(for: url, request: [:])

    #expect(found.map(\.response.selection) == ["accept: 2", "accept: 1", "accept: 0"])
    #expect(found.map { $0.response.fields[.eTag] } == ["\"2\"", "\"1\"", "\"0\""])
    #expect(found.allSatisfy { $0.response.byteCount == 1 })
    #expect(originals(disk).entries(for: url + "y", request: [:]).isEmpty)
  }

  @Test func `leaves out parts, which a proxy on the directory keeps`() throws {
    let disk = try open()
    try disk.store([1], record(vary: "range: bytes=0-0", status: 206))
    try disk.store([1], record(status: 203))

    let found = originals(disk).entries(for: url, request: [:])

    #expect(found.map(\.response.status) == [203])
  }

  @Test func `has a failure until it ends, and it is fresh as long`() throws {
    let disk = try open()
    var negative = record(status: 404)
    negative.failure = .httpStatus
    negative.expires = clock.now + 60
    try disk.storeNegative(negative)

    let found = try #require(originals(disk).entries(for: url, request: [:]).first)
    #expect(found.record.failure == .httpStatus && found.response.byteCount == 0)
    let request = HTTPCacheRequest(fields: [:])
    #expect(
      found.response.reuse(for: request, at: clock.now, profile: CacheProfile())
        == .fresh)
    clock.advance(by: 59.9)
    #expect(originals(disk).entries(for: url, request: [:]).count == 1)
    clock.advance(by: 0.1)
    #expect(originals(disk).entries(for: url, request: [:]).isEmpty)
  }

  @Test func `has a failure only where the same fields are sent to its host`() throws {
    let plain = try open()
    var negative = record(status: 404)
    negative.failure = .httpStatus
    try plain.storeNegative(negative)

    let signed = try open { $0.originHeaders = try OriginHeaders(["a.org: X-Key: 1"]) }

    #expect(originals(signed).entries(for: url, request: [:]).isEmpty)
    #expect(originals(plain).entries(for: url, request: [:]).count == 1)
    negative.originMark = signed.mark(ofURL: url)
    try signed.storeNegative(negative)
    #expect(originals(signed).entries(for: url, request: [:]).count == 1)
    #expect(originals(plain).entries(for: url, request: [:]).isEmpty)
  }

  @Test(arguments: ["private", "no-store"])
  func `hides what its origin marks private from a server`(directive: String) throws {
    let disk = try open()
    try disk.store([1], record([.cacheControl: directive]))
    let server = try open { $0.hidesPrivateEntries = true }

    #expect(originals(disk).entries(for: url, request: [:]).count == 1)
    #expect(originals(server).entries(for: url, request: [:]).isEmpty)
    #expect(server.hidesBytes(of: url))
    #expect(!disk.hidesBytes(of: url))
  }

  @Test func `takes over the fields of a confirmation, and keeps the bytes`() throws {
    let disk = try open()
    try disk.store([1, 2], record([.eTag: "\"1\"", .cacheControl: "max-age=1"]))
    let entry = try #require(originals(disk).entries(for: url, request: [:]).first)
    var response = entry.response
    response.fields[.cacheControl] = "max-age=99"
    response.responseTime = clock.now + 50

    let updated = originals(disk).update(entry, as: response, for: url)

    #expect(updated.failure == nil)
    let found = try #require(disk.read(entry.record.key))
    #expect(found.bytes == [1, 2])
    #expect(found.record.headers.fields[.cacheControl] == "max-age=99")
    #expect(found.record.responseTime == clock.now + 50)
    #expect(found.record.fetchedAt == clock.now)
  }

  @Test func `keeps the bytes under other selecting fields as well`() throws {
    let disk = try open()
    try disk.store([1, 2], record([.vary: "Accept"]))
    let entry = try #require(originals(disk).entries(for: url, request: [:]).first)
    var response = entry.response
    response.selection = "accept: image/webp"

    let updated = originals(disk).update(entry, as: response, for: url)

    #expect(updated.record.key == .original(url: url, vary: "accept: image/webp"))
    #expect(disk.read(updated.record.key)?.bytes == [1, 2])
    #expect(disk.statistics().entryCount == 2 && disk.statistics().byteCount == 2)
  }

  @Test func `keeps no value of Set-Cookie, only that there was one`() throws {
    let disk = try open()
    try disk.store([1], record())
    let entry = try #require(originals(disk).entries(for: url, request: [:]).first)
    var response = entry.response
    response.fields[.setCookie] = "id=secret"

    _ = originals(disk).update(entry, as: response, for: url)

    #expect(disk.record(for: entry.record.key)?.headers.fields[.setCookie] == "")
    #expect(StoredResponse(record()).withoutCookieValues.fields[.setCookie] == nil)
  }

  @Test func `reports a confirmation that cannot be stored, and answers with it`() throws {
    let files = FaultyFileSystem()
    let disk = try open(files: files)
    try disk.store([1], record([.eTag: "\"1\""]))
    let entry = try #require(originals(disk).entries(for: url, request: [:]).first)
    var response = entry.response
    response.fields[.eTag] = "\"2\""
    files.set(.init(call: 1, number: ENOSPC, lasts: true, only: "write"))

    let updated = originals(disk).update(entry, as: response, for: url)

    #expect(updated.failure?.code == .diskFull)
    #expect(updated.record.entityTag == "\"2\"" && updated.response.fields[.eTag] == "\"2\"")
    files.set(.init())
    #expect(disk.record(for: entry.record.key)?.entityTag == "\"1\"")
  }

  @Test func `removes one variation, or all`() throws {
    let disk = try open()
    for number in 0..<3 { try disk.store([UInt8(number)], record(vary: "accept: \(number)")) }
    let store = originals(disk)
    let entry = try #require(
      store.entries(for: url, request: [:]).first { $0.response.selection == "accept: 1" })

    store.remove(entry, for: url)
    #expect(
      Set(store.entries(for: url, request: [:]).map(\.response.selection))
        == ["accept: 0", "accept: 2"])
    store.removeAll(for: url)
    #expect(store.entries(for: url, request: [:]).isEmpty)
  }

  @Test func `has one document a URL, which matches every request`() throws {
    let disk = try open()
    var document = CacheRecord(key: .document(url: url), at: clock.now)
    document.headers = HeaderText([.vary: "Accept-Language"])
    try disk.store([1, 2, 3], document)
    try disk.store([1], record())
    let store = DiskResponseStore(disk: disk, kind: .documents)

    for language in ["de", "zh"] {
      let request: HTTPFields = [.acceptLanguage: language]
      let found = try #require(store.entries(for: url, request: request).first)
      let key = VaryKey(answer: found.response.fields, request: request)
      #expect(found.response.byteCount == 3 && found.response.selection == key?.description)
    }
    #expect(store.entries(for: "https://a.org/other", request: [:]).isEmpty)
  }

  @Test func `has no failures of documents`() throws {
    let disk = try open()
    var document = CacheRecord(key: .document(url: url), at: clock.now)
    document.failure = .httpStatus
    try disk.storeNegative(document)

    #expect(
      DiskResponseStore(disk: disk, kind: .documents).entries(for: url, request: [:]).isEmpty)
  }
}
