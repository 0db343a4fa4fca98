/// The gradient that keeps a white title legible on a picture: dark above and below, clear between.
///
/// It is as dark as the picture needs: where the picture's colour is known, so dark that white on it reaches
/// a contrast of 4.5. Source: WCAG 2.2, "relative luminance" and "contrast ratio".
public enum TitleShade {
  /// Where the colours of the gradient stand: dark, clear, clear, dark.
  public static let stops = [0, 0.4, 0.7, 1]
  /// The gray of the dark ends: 0.2 of white.
  public static let gray = 51
  /// How dark the ends are where nothing is known of the picture: 0.6.
  public static let usualAlpha = 0.6
  /// The contrast of white to the shaded colour: 4.5.
  public static let contrast = 4.5

  /// How dark the ends are to be, 0.6 through 0.95 in steps of 0.05.
  ///
  /// - Parameter color: Red, green, blue, 0 through 255; `nil` where unknown.
  public static func alpha(over color: [Int]?) -> Double {
    guard let color, color.count == 3 else { return usualAlpha }
    for step in 12...19 {
      let alpha = Double(step) / 20
      let shaded = color.map { Double($0) * (1 - alpha) + Double(gray) * alpha }
      if 1.05 / (luminance(shaded) + 0.05) >= contrast { return alpha }
    }
    return 0.95
  }

  /// 0 for black through 1 for white.
  ///
  /// - Parameter color: Red, green, blue, 0 through 255.
  static func luminance(_ color: [Double]) -> Double {
    let linear = color.map { sample in
      let part = sample / 255
      return part <= 0.04045 ? part / 12.92 : power((part + 0.055) / 1.055)
    }
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
  }

  /// x to the power of 2.4 as x² · x^(2/5), by Newton's method: no mathematics library on this floor.
  private static func power(_ x: Double) -> Double {
    var root = x  // the fifth root of x²
    let square = x * x
    for _ in 0..<40 where root > 0 { root -= (root - square / (root * root * root * root)) / 5 }
    return square * root
  }
}
