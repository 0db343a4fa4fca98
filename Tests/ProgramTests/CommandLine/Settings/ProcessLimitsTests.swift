import ArgumentParser
import Testing

@testable import imgcache

@Suite struct `The room of the process` {
  @Test(arguments: [
    ["serve", "--memory", "9223372036854775807"],
    ["proxy", "--origin", "http://a.example", "--memory", "--max-size", "9223372036854775807"],
  ])
  func `is compared with any size that can be named`(
    arguments: [String]
  ) throws {
    let shortage = ProcessLimits.shortage(for: try ImgCache.parseAsRoot(arguments))

    #expect(shortage?.contains("limit") ?? true)
  }
}
