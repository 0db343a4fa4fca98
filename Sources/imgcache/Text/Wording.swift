import TextEncodings

extension Int {
  /// The number with its noun: `1 image`, `2 images`, `2 entries`.
  func counted(_ noun: String, _ plural: String? = nil) -> String {
    "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
  }

  /// The number with zeros before it: `007`.
  func padded(to digitCount: Int) -> String {
    let digits = String(self)
    return String(repeating: "0", count: Swift.max(0, digitCount - digits.count)) + digits
  }
}

extension [String] {
  var enumerated: String {
    guard count > 1, let last else { return first ?? "" }
    return dropLast().joined(separator: ", ") + " and " + last
  }
}

extension Duration {
  /// Whole milliseconds, rounded down.
  var milliseconds: Int {
    Int(components.seconds) * 1000 + Int(components.attoseconds / 1_000_000_000_000_000)
  }
}

extension String {
  /// The text with control characters, marks of direction and Unicode's separators of lines made
  /// visible, so that a title or a header from the network can neither break a line nor control a
  /// terminal. Tabs and line feeds stay.
  func escapingControls() -> String {
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isControl, scalar != "\t", scalar != "\n" {
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// The text in one line: as ``escapingControls()``, with tabs and line feeds as spaces.
  func onOneLine() -> String { escapingControls().replacing(#/[\t\n]+/#, with: " ") }
}
