import Foundation
import ImageCodecs
import ImageModel
import Testing
@testable import TestSupport

/// External conformance suites, where available; JPEGs are compared by the suites' own program.
@Suite(.needsFixtures) struct `Conformance` {
  struct Expected: Decodable {
    struct Variant: Decodable {
      struct Frame: Decodable { let sha256: String }
      let width: Int?
      let height: Int?
      let frames: [Frame]?
      let refuse: Bool?
    }
    let `class`: String
    let accept: [Variant]?
  }

  static func files(_ suite: String) throws -> [(name: String, expected: Expected, bytes: [UInt8])]
  {
    struct List: Decodable { let files: [String: Expected] }
    let list = try JSONDecoder().decode(
      List.self, from: Data(try SharedFixtures.bytes("suites/\(suite)/expected.json")))
    try #require(!list.files.isEmpty)
    return try list.files.sorted { $0.key < $1.key }.map {
      ($0.key, $0.value, try SharedFixtures.bytes("suites/\(suite)/data/\($0.key)"))
    }
  }

  static func validFiles(
    _ suite: String
  ) throws -> [(name: String, expected: Expected, bytes: [UInt8])] {
    let files = try files(suite).filter { $0.expected.class == "valid" }
    try #require(!files.isEmpty)
    return files
  }

  /// Pixels of alpha 0 count as 0,0,0,0, as in the suites.
  static func digest(_ pixels: PixelBuffer) -> String {
    var bytes = pixels.bytes
    for at in stride(from: 0, to: bytes.count, by: 4) where bytes[at + 3] == 0 {
      bytes.replaceSubrange(at..<at + 4, with: [0, 0, 0, 0])
    }
    return bytes.withUnsafeBytes { SHA256.hash(of: $0).description }
  }

  @Test(arguments: ["pngsuite", "png-extra", "apng-static", "pygif", "gif-extra", "webp"])
  func `each valid file has the expected pixels`(suite: String) throws {
    for (name, expected, bytes) in try Self.validFiles(suite) {
      let reader = try FrameReader(bytes.span.bytes)
      let digests = try reader.rest(of: bytes).map { Self.digest($0.pixels) }

      let isExpected = (expected.accept ?? []).contains {
        $0.width == reader.info.size.width && $0.height == reader.info.size.height
          && $0.frames?.map(\.sha256) == digests
      }
      #expect(isExpected, "\(suite)/\(name)")
    }
  }

  @Test(arguments: [
    "pngsuite", "png-extra", "apng-static", "exif", "jpeg", "pygif", "gif-extra", "webp",
    "webp-anim",
  ])
  func `each valid file passes the checks`(suite: String) throws {
    for (name, _, bytes) in try Self.validFiles(suite) {
      for level in ImageCheck.allCases {
        #expect(throws: Never.self, "\(suite)/\(name) \(level)") {
          try ImageCodecs.check(bytes.span.bytes, level: level)
        }
      }
    }
  }

  @Test(arguments: ["broken-gif", "broken-jpeg", "broken-png", "broken-webp", "broken-avif"])
  func `a broken file is an error or an image, never a crash`(suite: String) throws {
    for (name, _, bytes) in try Self.files(suite) {
      func passes(_ level: ImageCheck) -> Bool {
        (try? ImageCodecs.check(bytes.span.bytes, level: level)) != nil
      }
      let isDecodable = passes(.decode)
      let image = try? ImageCodecs.decode(bytes.span.bytes)

      #expect(!isDecodable || (image != nil && passes(.structure)), "\(suite)/\(name)")
    }
  }
}
