import Testing
import TextEncodings

@Suite struct `A byte count as text` {
  @Test(
    arguments: [
      (1_048_575, "1 MiB"), (1_048_063, "1023 KiB"), (1_048_064, "1 MiB"),
      ((1 << 30) - 1, "1 GiB"), ((1 << 40) - 1, "1 TiB"), ((1023 << 20), "1023 MiB"),
    ] as [(Int, String)])
  func `just under a unit has that unit`(count: Int, text: String) {
    #expect(Measure.bytes(count) == text)
  }

  @Test func `never has four digits before its last unit, and never falls`() {
    var last = (count: 0, value: 0.0)
    let units = ["B": 1.0, "KiB": 1024, "MiB": 1_048_576, "GiB": 1_073_741_824]
    for power in 0..<400 {
      let count = Int(1.05 * Double(last.count)) + 1 + power % 3
      guard count < 1 << 39 else { break }

      let words = Measure.bytes(count).split(separator: " ")
      let number = Double(words[0]) ?? -1
      let value = number * (units[String(words[1])] ?? .nan)

      #expect(words[1] == "B" || number < 1024, "\(count)")
      #expect(value >= last.value, "\(count) after \(last.count)")
      #expect(abs(value - Double(count)) <= 0.06 * Double(count), "\(count)")
      last = (count, value)
    }
  }
}
