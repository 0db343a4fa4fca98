import ImageModel
import Testing

@testable import imgcache

@Suite struct `Groups of messages` {
  @Test func `failures of other kinds, hosts and things are groups of their own`() {
    let error = ImageError(.httpStatus, "HTTP 404", status: 404)
    let groups: Set = [
      MessageGroups.Group(.image, error, host: "a.example"),
      .init(.image, error, host: "b.example"),
      .init(.image, ImageError(.httpStatus, "HTTP 410", status: 410), host: "a.example"),
      .init(.image, ImageError(.timedOut, "late"), host: "a.example"), .init(.day, error),
      .init(.story, note: "no image"),
    ]

    #expect(groups.count == 6)
    #expect(MessageGroups.Group(.story, note: "no image").text(of: 2) == "2 more stories: no image")
    #expect(MessageGroups.Group(.page, error).text(of: 2) == "2 more story pages: HTTP 404")
    #expect(
      MessageGroups.Group(.storedImage, ImageError(.cacheFull, "no room")).text(of: 29)
        == "29 more images that could not be kept: the cache is full")
    #expect(
      MessageGroups.Group(.image, ImageError(.connectionReset, "reset")).text(of: 1)
        == "1 more image: connection reset")
    #expect(
      MessageGroups.Group(like: "its file has 12 bytes instead of 345")
        == MessageGroups.Group(like: "its file has 3 bytes instead of 4"))
  }
}
