import Testing

@testable import HTTPCaching

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
    #expect(TierGeneration(text) == nil)
  }

  @Test func `is not 0`() {
    #expect(TierGeneration(number: 0) == nil)
  }

  @Test func `tells in its last bit whether a purge has set it`() {
    #expect(TierGeneration(number: 3)?.isOfPurge == true)
    #expect(TierGeneration(number: 2)?.isOfPurge == false)
    #expect(TierGeneration.random(isOfPurge: true).isOfPurge)
    #expect(!TierGeneration.random().isOfPurge)
  }
}
