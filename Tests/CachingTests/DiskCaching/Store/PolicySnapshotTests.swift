import Foundation
import Testing

@testable import CachePolicies
@testable import DiskCaching
@testable import TestSupport

@Suite struct `The file with what a policy has learned` {
  private let directory = TemporaryDirectory()
  private let faulty = FaultyFileSystem()
  private let blobs: BlobStore

  init() throws {
    blobs = BlobStore(directory: directory.path, files: faulty, synchronizes: false)
    try blobs.prepare()
  }

  private var path: String { directory.path("index.policy") }

  @Test(arguments: [[], [1, 2, 3], [10], [0, 10, 10, 255]] as [[UInt8]])
  func `is read as it was written, line breaks among its bytes`(bytes: [UInt8]) {
    PolicySnapshot.write(bytes, of: "lhd-tb", in: blobs)

    #expect(PolicySnapshot.read(of: "lhd-tb", in: blobs) == bytes)
    #expect(directory.files(under: "tmp") == [])
    // It is of no use to another policy, and replaced by a later one.
    for name in ["lhd", "lhd-tb:0.5", "", "LHD-TB"] {
      #expect(PolicySnapshot.read(of: name, in: blobs) == nil)
    }
    PolicySnapshot.write([3], of: "lru", in: blobs)
    #expect(PolicySnapshot.read(of: "lhd-tb", in: blobs) == nil)
    #expect(PolicySnapshot.read(of: "lru", in: blobs) == [3])
  }

  @Test func `is not read where it is absent, without a line, or a mebibyte long`() throws {
    #expect(PolicySnapshot.read(of: "lru", in: blobs) == nil)
    try Data("lru".utf8).write(to: URL(fileURLWithPath: path))
    #expect(PolicySnapshot.read(of: "lru", in: blobs) == nil)
    let start = Data("lru\n".utf8)
    try (start + Data(count: (1 << 20) - 5)).write(to: URL(fileURLWithPath: path))
    #expect(PolicySnapshot.read(of: "lru", in: blobs)?.count == (1 << 20) - 5)
    try (start + Data(count: (1 << 20) - 4)).write(to: URL(fileURLWithPath: path))
    #expect(PolicySnapshot.read(of: "lru", in: blobs) == nil)
  }

  @Test func `is not read through a link`() throws {
    PolicySnapshot.write([1], of: "lru", in: blobs)
    try FileManager.default.moveItem(atPath: path, toPath: directory.path("other"))
    try FileManager.default.createSymbolicLink(
      atPath: path, withDestinationPath: directory.path("other"))

    #expect(PolicySnapshot.read(of: "lru", in: blobs) == nil)
  }

  @Test(arguments: ["create", "write", "rename"])
  func `stays where a later one cannot be written`(call: String) {
    PolicySnapshot.write([1], of: "lru", in: blobs)
    faulty.set(.init(call: 1, number: ENOSPC, lasts: true, only: call))

    PolicySnapshot.write([2], of: "lru", in: blobs)

    faulty.set(.init())
    #expect(PolicySnapshot.read(of: "lru", in: blobs) == [1])
    #expect(directory.files(under: "tmp") == [])
  }
}
