/// Quantities as short texts with their units, for people.
public enum Measure {
  /// Returns a number of bytes, rounded: `812 B`, `5.3 KiB`, `64 MiB`.
  public static func bytes(_ count: Int) -> String {
    let units = ["KiB", "MiB", "GiB", "TiB"]
    guard count >= 1024 else { return "\(count) B" }
    var value = Double(count) / 1024
    var unit = 0
    while value.rounded() >= 1024, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    let tenths = Int((value * 10).rounded())
    return value < 10 && tenths % 10 != 0
      ? "\(tenths / 10).\(tenths % 10) \(units[unit])" : "\(Int(value.rounded())) \(units[unit])"
  }

  /// Returns a number of bytes and the limit that it exceeds as `bytes(_:)` does, or to the byte
  /// where they would read the same.
  public static func bytes(_ count: Int, over limit: Int) -> (count: String, limit: String) {
    let rounded = (count: bytes(count), limit: bytes(limit))
    return rounded.count == rounded.limit && count != limit
      ? ("\(grouped(count)) B", "\(grouped(limit)) B") : rounded
  }

  /// Returns a time in seconds with two or three digits: `85 µs`, `0.42 ms`, `12 ms`, `1.5 s`.
  public static func seconds(_ seconds: Double) -> String {
    switch seconds {
    case ..<0.0001: "\(number(seconds * 1e6)) µs"
    case ..<0.9995: "\(number(seconds * 1e3)) ms"
    default: "\(number(seconds)) s"
    }
  }

  /// Returns a number with two digits below 10 and no fraction from there on: `0.42`, `3.1`, `120`.
  ///
  /// Numbers that are not finite and negative ones are 0.
  public static func number(_ value: Double) -> String {
    guard value.isFinite, value > 0 else { return "0" }
    let places = value < 1 ? 2 : value < 9.95 ? 1 : 0
    let factor = places == 2 ? 100.0 : places == 1 ? 10 : 1
    let scaled = (min(value, 1e15) * factor).rounded()
    guard scaled > 0 else { return "<0.01" }
    let (whole, part) = (Int(scaled) / Int(factor), Int(scaled) % Int(factor))
    if part == 0 { return grouped(whole) }
    let digits = places == 2 && part < 10 ? "0\(part)" : "\(part)"
    return "\(whole).\(digits.hasSuffix("0") ? String(digits.dropLast()) : digits)"
  }

  /// Returns a whole number with its digits in groups of three: `1,204,331`.
  public static func grouped(_ count: Int) -> String {
    let digits = Array(String(count.magnitude))
    var text = count < 0 ? "-" : ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { text += "," }
      text.append(digit)
    }
    return text
  }

  /// Returns a share of 0 through 1 in percent: `0 %`, `3.4 %`, `97 %`, `99.8 %`; only a whole is
  /// `100 %`.
  public static func percent(_ share: Double) -> String {
    guard share.isFinite, share > 0 else { return "0 %" }
    let value = min(share, 1) * 100
    if value < 0.1 { return "<0.1 %" }
    if value > 99.9, value < 100 { return ">99.9 %" }
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 || (100..<990).contains(tenths)
      ? "\(Int(value.rounded())) %" : "\(tenths / 10).\(tenths % 10) %"
  }
}
