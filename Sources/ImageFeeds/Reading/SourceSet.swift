/// The candidates of a `srcset` attribute.
///
/// Source: HTML Living Standard, "Parsing a srcset attribute". URLs may hold commas; a candidate
/// with a malformed descriptor is dropped, the others are kept.
struct SourceSet: Sendable, Hashable {
  /// One image of the set.
  struct Candidate: Sendable, Hashable {
    /// As spelled, not resolved.
    var url: String
    /// The descriptor `w`, in pixels; `nil` where there is none.
    var width: Int?
    /// The descriptor `x`; `nil` where there is none, which means 1.
    var density: Double?
  }

  /// In the order of the attribute.
  private(set) var candidates: [Candidate] = []

  /// Parses the value of an attribute.
  init(_ text: String) {
    let bytes = Array(text.utf8)
    var position = 0
    while true {
      while position < bytes.count, Self.isSpace(bytes[position]) || bytes[position] == Self.comma {
        position += 1
      }
      guard position < bytes.count else { return }
      let start = position
      while position < bytes.count, !Self.isSpace(bytes[position]) { position += 1 }
      var url = bytes[start..<position]
      var descriptors: [String] = []
      if url.last == Self.comma {
        while url.last == Self.comma { url.removeLast() }
      } else {
        descriptors = Self.descriptors(bytes, &position)
      }
      if let candidate = Self.candidate(String(decoding: url, as: UTF8.self), descriptors) {
        candidates.append(candidate)
      }
    }
  }

  private static let comma = UInt8(ascii: ",")

  private static func isSpace(_ byte: UInt8) -> Bool {
    [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(byte)
  }

  /// The descriptors behind a URL, up to the comma that ends the candidate. Commas and white space
  /// inside parentheses belong to a descriptor.
  private static func descriptors(_ bytes: [UInt8], _ position: inout Int) -> [String] {
    var found: [String] = []
    var current: [UInt8] = []
    var depth = 0
    func finished() -> [String] {
      current.isEmpty ? found : found + [String(decoding: current, as: UTF8.self)]
    }
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      if depth == 0, byte == comma { return finished() }
      if depth == 0, isSpace(byte) {
        found = finished()
        current = []
        continue
      }
      if byte == UInt8(ascii: "(") { depth += 1 }
      if byte == UInt8(ascii: ")") { depth = max(0, depth - 1) }
      current.append(byte)
    }
    return finished()
  }

  /// A candidate with its descriptors; `nil` where one is malformed or they contradict each other.
  private static func candidate(_ url: String, _ descriptors: [String]) -> Candidate? {
    var candidate = Candidate(url: url)
    var height: Int?
    for descriptor in descriptors {
      let number = descriptor.dropLast()
      switch descriptor.last {
      case "w":
        guard candidate.width == nil, candidate.density == nil, let width = whole(number) else {
          return nil
        }
        candidate.width = width
      case "x":
        guard candidate.width == nil, candidate.density == nil, height == nil,
          let density = Double(number), density.isFinite, density >= 0
        else { return nil }
        candidate.density = density
      case "h":
        guard height == nil, candidate.density == nil, let value = whole(number) else { return nil }
        height = value
      default:
        return nil
      }
    }
    return height != nil && candidate.width == nil ? nil : candidate
  }

  /// A positive whole number without a sign.
  private static func whole(_ text: Substring) -> Int? {
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(text), value > 0 else {
      return nil
    }
    return value
  }
}
