/// How many requests ago something was last asked for, in bins of half an octave: 0…1, 2, 3, 4…5, 6…7, 8…11 and so on.
enum ReuseAge {
  /// Bins; the last one has no end.
  static let binCount = 48

  /// The first age of each bin, and one that ends the last for all that is reckoned with it.
  static let lowerBounds: [UInt32] = {
    var bounds: [UInt32] = [0]
    for bin in 1...binCount {
      let octave = UInt32(bin + 1) / 2
      let start: UInt32 = 1 << octave
      bounds.append(bin % 2 == 1 ? start : start + start / 2)
    }
    return bounds
  }()

  /// The bin of an age.
  @inline(__always)
  static func bin(of age: UInt32) -> Int {
    guard age >= 2 else { return 0 }
    let octave = 31 - age.leadingZeroBitCount
    return min(2 * octave - 1 + Int(age >> UInt32(octave - 1) & 1), binCount - 1)
  }
}
