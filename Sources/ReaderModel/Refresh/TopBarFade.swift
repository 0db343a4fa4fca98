/// The bar above a list, clear at its beginning and coming in while it scrolls.
public enum TopBarFade {
  /// How far the list scrolls until the bar is whole, and how high the bar is: 64.
  public static let height = 64.0
  /// Red, green, blue.
  public static let color = [60, 198, 253]

  /// How much of the bar is seen, 0 through 1: exactly 0 at the beginning and when pulled.
  public static func alpha(offset: Double) -> Double {
    offset > 0 ? min(offset / height, 1) : 0
  }
}
