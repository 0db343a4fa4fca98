import Testing

@testable import imgcache

@Suite struct `Quantities on the command line` {
  @Test(arguments: [
    ("0", 0), ("812", 812), ("10k", 10_000), ("10KiB", 10_240), ("1.5MiB", 1_572_864),
    ("64 MiB", 67_108_864), ("2GB", 2_000_000_000), ("1tib", 1_099_511_627_776), ("7B", 7),
    ("9223372036854775807", .max), ("8388607TiB", 9_223_370_937_343_148_032),
  ])
  func `bytes are read with decimal and binary units`(text: String, count: Int) {
    #expect(ByteQuantity(argument: text)?.count == count)
  }

  @Test(arguments: [
    "", "-1", "MiB", "1XB", "1 2", "1e999", "9999999TiB", "8388608TiB", "9223372036854775808",
    "0x10", "nan",
  ])
  func `what is no number of bytes is refused`(text: String) {
    #expect(ByteQuantity(argument: text) == nil)
  }

  @Test(arguments: [
    (0, "0 B"), (812, "812 B"), (5_418, "5.3 KiB"), (1024, "1 KiB"), (67_108_864, "64 MiB"),
    (10_737_418_240, "10 GiB"), (1_048_575, "1 MiB"),
  ])
  func `bytes are shown rounded`(count: Int, text: String) {
    #expect(ByteQuantity(count).description == text)
  }

  @Test(arguments: [("4", 4.0), ("1.5/s", 1.5), ("30/m", 0.5)])
  func `a rate is one of a second or a minute`(text: String, perSecond: Double) {
    #expect(RateQuantity(argument: text)?.perSecond == perSecond)
  }

  @Test(arguments: ["0", "-1", "4/h", "x", "/s", "1e3", ""])
  func `what is no rate is refused`(text: String) {
    #expect(RateQuantity(argument: text) == nil)
  }

  @Test func `a thumbnail size has a free side or two, and a fit`() {
    #expect(ThumbnailSize(argument: "200x100")?.size.description == "200x100")
    #expect(ThumbnailSize(argument: "200x100")?.fit == .cover)
    #expect(ThumbnailSize(argument: "640x0:inside")?.fit == .inside)
    #expect(ThumbnailSize(argument: "0x0") == nil)
    #expect(ThumbnailSize(argument: "200") == nil)
    #expect(ThumbnailSize(argument: "200x-1") == nil)
    #expect(ThumbnailSize(argument: "200x200:stretch") == nil)
    #expect(ThumbnailSize(argument: "70000x1") == nil)
  }
}
