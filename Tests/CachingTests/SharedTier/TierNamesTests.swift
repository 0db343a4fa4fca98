import NIOCore
import RedisClustering
import Testing

@testable import HTTPCaching
@testable import ImageModel
@testable import SharedCaching

@Suite struct `The names of a shared tier` {
  private let source = TierKey(url: "https://example.org/a.jpg")
  private let variant = TierKey(url: "https://example.org/a.jpg", variant: "w=1")

  private func text(_ argument: RedisCommand.Argument) -> String {
    String(buffer: argument.bytes)
  }

  @Test(
    arguments: [
      ("", "ic1:{}:purges", "ic1:inv"), ("photos", "ic1:{photos}:purges", "ic1:inv:photos"),
    ])
  func `of the list of purges and of their channel contain the namespace`(
    namespace: String, purges: String, channel: String
  ) {
    let names = TierNames(namespace: namespace)

    #expect(text(names.purges) == purges)
    #expect(names.channel == channel)
    #expect(text(names.channelArgument) == channel)
  }

  // By `printf TEXT | sha256sum`.
  @Test(
    arguments: [
      ("", "700caca5ae8f856fc70b39312664d5c9"),
      ("photos", "ed0cac268272b7b5fe9a3216b84a63c8"),
    ])
  func `of a source are the first half of a SHA-256 of the namespace and the URL`(
    namespace: String, digits: String
  ) {
    #expect(TierNames(namespace: namespace).source(source.url) == digits)
  }

  @Test func `of keys begin with the source as hash tag`() {
    let names = TierNames(namespace: "")
    let tag = "ic1:{700caca5ae8f856fc70b39312664d5c9}"

    #expect(text(names.generation(source)) == "\(tag):g")
    #expect(text(names.generation(variant)) == "\(tag):g")
    #expect(text(names.value(source)) == "\(tag):o")
    #expect(text(names.value(variant)) == "\(tag):t:4d2943091deb667d")
    #expect(text(names.lock(source)) == "\(tag):l:o")
    #expect(text(names.lock(variant)) == "\(tag):l:t:4d2943091deb667d")
  }

  @Test func `of objects are paths below the first two digits of the source`() {
    let names = TierNames(namespace: "photos")
    let folder = "ic1/ed/ed0cac268272b7b5fe9a3216b84a63c8"

    #expect(names.object(source) == "\(folder)/o")
    #expect(names.object(variant) == "\(folder)/t/4d2943091deb667d")
  }

  @Test func `of a namespace and a URL are not those of another division of the same text`() {
    let one = TierNames(namespace: "a").source(ExactString("b/c"))
    let other = TierNames(namespace: "ab").source(ExactString("/c"))

    #expect(one != other)
  }
}
