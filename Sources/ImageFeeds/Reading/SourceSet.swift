/// The candidates of a `srcset` attribute.
///
/// Source: HTML Living Standard, "Parsing a srcset attribute". URLs may hold commas; a candidate
/// with a malformed descriptor is dropped, the others are kept.
struct SourceSet: Sendable, Hashable {
  struct Candidate: Sendable, Hashable {
    var url: String
    /// The descriptor `w`, in pixels; `nil` if there is none.
    var width: Int?
    /// The descriptor `x`; `nil` if there is none, which means 1.
    var density: Double?
    /// Of the media query of a `source`: for windows at least this wide.
    var minimumWidth = 0

    /// What is larger for a larger image.
    var size: (Int, Double, Int) { (width ?? 0, density ?? 1, minimumWidth) }
  }

  private(set) var candidates: [Candidate] = []

  init(_ text: String) {
    var rest = Array(text.utf8)[...]
    while true {
      rest = rest.drop { Self.isSpace($0) || $0 == Self.comma }
      guard !rest.isEmpty else { return }
      var url = rest.prefix { !Self.isSpace($0) }
      rest = rest[url.endIndex...]
      var descriptors: ArraySlice<UInt8> = []
      if url.last == Self.comma {
        while url.last == Self.comma { url.removeLast() }
      } else {
        descriptors = rest[..<Self.end(ofDescriptors: rest)]
        rest = rest[descriptors.endIndex...]
      }
      let words = descriptors.split(whereSeparator: Self.isSpace)
        .map { String(decoding: $0, as: UTF8.self) }
      if let candidate = Self.candidate(String(decoding: url, as: UTF8.self), words) {
        candidates.append(candidate)
      }
    }
  }

  private static let comma = UInt8(ascii: ",")

  private static func isSpace(_ byte: UInt8) -> Bool {
    [0x09, 0x0A, 0x0C, 0x0D, 0x20].contains(byte)
  }

  /// The index of the comma that ends a candidate: commas in parentheses belong to a descriptor.
  private static func end(ofDescriptors bytes: ArraySlice<UInt8>) -> Int {
    var depth = 0
    for (index, byte) in zip(bytes.indices, bytes) {
      switch byte {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"): depth = max(0, depth - 1)
      case comma where depth == 0: return index
      default: break
      }
    }
    return bytes.endIndex
  }

  /// A candidate with its descriptors; `nil` if one is malformed or they contradict each other.
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
      default: return nil
      }
    }
    return height != nil && candidate.width == nil ? nil : candidate
  }

  private static func whole(_ text: Substring) -> Int? {
    guard text.utf8.allSatisfy({ (48...57).contains($0) }), let value = Int(text), value > 0 else {
      return nil
    }
    return value
  }
}
