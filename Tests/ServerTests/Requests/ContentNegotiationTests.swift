import Testing

@testable import ThumbnailServer

@Suite struct `Accept` {
  @Test(arguments: [
    ([], ContentNegotiation.any), (["*/*"], .any), (["image/*"], .any),
    (["image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"], .webp),
    (["image/jpeg"], .jpeg), (["image/png"], .png), (["image/gif"], .gif),
    (["image/png, image/jpeg;q=0"], .png), (["image/png;q=0, */*"], .jpeg),
    (["IMAGE/JPEG ; Q=0.5"], .jpeg), (["image/webp"], .webp),
    (["image/webp;q=0, image/jpeg"], .jpeg), (["text/html"], .any),
    (["image/jpeg", "image/png"], .any), ([""], .any), ([";;,,q=0"], .any),
    (["image/*;q=0.0, image/gif"], .gif),
  ])
  func `is normalized to five cases`(lines: [String], expected: ContentNegotiation) {
    #expect(ContentNegotiation(accept: lines) == expected)
  }
}
