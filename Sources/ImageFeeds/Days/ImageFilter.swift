public import ImageModel

/// Which images of a feed an archive wants.
///
/// A pattern matches a whole URL or title; `*` in it matches any text, `/` included. The case
/// of ASCII letters does not count.
public struct ImageFilter: Sendable, Hashable {
  /// Images that are smaller than this in both directions are left out; default: 0x0.
  public var minimumSize = PixelSize(width: 0, height: 0)
  /// Images of fewer bytes are left out; default: 0.
  public var minimumByteCount = 0
  /// Only images of which the URL, or the title of a story, matches one of these; none means all.
  public var included: [String] = []
  /// Images of which the URL, or the title of a story, matches one of these are left out.
  public var excluded: [String] = []

  /// A filter that leaves out nothing.
  public init() {}

  /// Whether images must be loaded to be judged.
  var judgesContent: Bool {
    minimumByteCount > 0 || minimumSize.width > 0 || minimumSize.height > 0
  }

  func admits(url: String, title: String) -> Bool {
    guard !included.isEmpty || !excluded.isEmpty else { return true }
    func matches(_ pattern: String) -> Bool {
      Self.matches(pattern, url) || Self.matches(pattern, title)
    }
    return (included.isEmpty || included.contains(where: matches))
      && !excluded.contains(where: matches)
  }

  /// - Parameter size: `nil` if unknown, which leaves out nothing.
  func admits(_ size: PixelSize?, byteCount: Int) -> Bool {
    guard byteCount >= minimumByteCount else { return false }
    return size.map { $0.width >= minimumSize.width || $0.height >= minimumSize.height } ?? true
  }

  /// Compares in time proportional to the product of the lengths at most.
  static func matches(_ pattern: String, _ text: String) -> Bool {
    let (pattern, text) = (pattern.utf8.map(\.lowercased), text.utf8.map(\.lowercased))
    var (next, position) = (0, 0)
    var star: (next: Int, position: Int)?
    while position < text.count {
      if next < pattern.count, pattern[next] == UInt8(ascii: "*") {
        star = (next + 1, position)
        next += 1
      } else if next < pattern.count, pattern[next] == text[position] {
        next += 1
        position += 1
      } else if let last = star {
        // The star takes one byte more.
        star = (last.next, last.position + 1)
        (next, position) = (last.next, last.position + 1)
      } else {
        return false
      }
    }
    return pattern[next...].allSatisfy { $0 == UInt8(ascii: "*") }
  }
}

extension UInt8 {
  fileprivate var lowercased: UInt8 { (65...90).contains(self) ? self + 32 : self }
}
