import Foundation
import HTTPCaching
import HTTPTypes
import ImageModel
import Testing

@testable import DiskCaching
@testable import TestSupport

@Suite struct `A directory as the store of an HTTP cache`: OnDisk {
  let folder = CacheFolder()
  private let url = "https://a.org/x"

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

  @Test func `leaves out parts, which a proxy on the directory keeps`() throws {
    let disk = try open()
    try disk.store([1], record(vary: "range: bytes=0-0", status: 206))
    try disk.store([1], record(status: 203))

    let found = originals(disk).entries(for: url, request: [:])

    #expect(found.map(\.response.status) == [203])
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

  @Test func `selects by credentials without their values`() throws {
    let disk = try open()
    let fields: HTTPFields = [.vary: "Cookie, Accept", .cacheControl: "public"]
    let request: HTTPFields = [.cookie: "s3cret=1, 2", .accept: "*/*"]
    let selection = try #require(VaryKey(answer: fields, request: request)).description
    let response = StoredResponse(
      status: 200, fields: fields, requestTime: clock.now, responseTime: clock.now,
      selection: selection)
    let credentials = RequestCredentials(request, for: url, headers: OriginHeaders())
    let record = disk.record(of: response, to: credentials, sentWith: OriginHeaders())
    try disk.store([1], record)

    let kept = try #require(originals(try open()).entries(for: url, request: request).first)
    #expect(kept.response.selection == selection && kept.record.key == record.key)
    let confirmed = originals(disk).update(kept, as: kept.response, for: url)
    #expect(confirmed.record.key == record.key)
    for other in ["s3cret=1", nil] {
      let found = originals(disk).entries(for: url, request: with(request) { $0[.cookie] = other })
      #expect(found.map { $0.response.isSelected(by: request) } == [false])
    }
    guard case .original(_, let vary) = record.key else { return }
    #expect(vary.hasPrefix("accept: */*\ncookie: =") && !vary.contains("s3cret"))
    let proxy = try openCache().streamingStore(profile: .proxy()) { _ in }
    #expect(proxy.entries(for: url, request: request).map(\.response.selection) == [selection])
    let staged = try #require(proxy.stage(byteCount: nil))
    try staged.append([2])
    try staged.commit(response, for: url)
    #expect(disk.variations(of: url).map(\.key) == [record.key])
  }

  @Test func `reports a confirmation that cannot be stored, and answers with it`() throws {
    let files = FaultyFileSystem()
    let disk = try open(files)
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
}
