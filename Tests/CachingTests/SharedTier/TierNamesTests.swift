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

  // The digits are those of `printf TEXT | sha256sum`.
  @Test(arguments: [
    ("", "700caca5ae8f856fc70b39312664d5c9", "ic1:{}:purges", "ic1:inv"),
    ("photos", "ed0cac268272b7b5fe9a3216b84a63c8", "ic1:{photos}:purges", "ic1:inv:photos"),
  ])
  func `contain the namespace, and those of a source its hash`(
    namespace: String, digits: String, purges: String, channel: String
  ) {
    let names = TierNames(namespace: namespace)
    let (tag, folder) = ("ic1:{\(digits)}", "ic1/\(digits.prefix(2))/\(digits)")

    #expect(text(names.purges) == purges)
    #expect(names.channel == channel)
    #expect(names.source(source.url) == digits)
    for key in [source, variant] { #expect(text(names.generation(key)) == "\(tag):g") }
    #expect(
      [source, variant].map { text(names.value($0)) } == ["\(tag):o", "\(tag):t:4d2943091deb667d"])
    #expect(
      [source, variant].map { text(names.lock($0)) } == [
        "\(tag):l:o", "\(tag):l:t:4d2943091deb667d",
      ])
    #expect(
      [source, variant].map(names.object) == ["\(folder)/o", "\(folder)/t/4d2943091deb667d"])
  }

  @Test func `of a namespace and a URL are not those of another division of the same text`() {
    let one = TierNames(namespace: "a").source(ExactString("b/c"))

    #expect(one != TierNames(namespace: "ab").source(ExactString("/c")))
  }
}

@Suite struct `A generation of the shared tier` {
  @Test(arguments: [
    (1, "0000000000000001"), (0x0123_4567_89AB_CDEF, "0123456789abcdef"),
    (UInt64.max, "ffffffffffffffff"),
  ])
  func `is written as 16 digits and read again`(number: UInt64, text: String) throws {
    let generation = try #require(TierGeneration(number: number))

    #expect(generation.text == text)
    #expect(TierGeneration(text) == generation)
  }

  @Test(arguments: [
    "", "1", "000000000000001", "00000000000000001", "000000000000000g", "0x00000000000001",
    " 000000000000001", "-000000000000001", "+000000000000001", "0000000000000000",
  ])
  func `is not read from anything but 16 digits of a number above 0`(text: String) {
    #expect(TierGeneration(text) == nil && TierGeneration(number: 0) == nil)
  }

  @Test func `tells in its last bit whether a purge has set it`() {
    #expect(TierGeneration(number: 3)?.isOfPurge == true)
    #expect(TierGeneration(number: 2)?.isOfPurge == false)
    #expect(TierGeneration.random(isOfPurge: true).isOfPurge)
    #expect(!TierGeneration.random().isOfPurge)
  }
}
