package import ImageModel

/// A key in the index: three columns, and a hash of them to find the row by.
extension CacheKey {
  var kind: EntrySelection.Kind {
    switch self {
    case .original: .original
    case .variant: .variant
    case .document: .document
    }
  }

  /// The URL, or the hash of the variant's source.
  var name: String {
    switch self {
    case .original(let url, _), .document(let url): url
    case .variant(let source, _): source
    }
  }

  /// The part that distinguishes keys of one name: the variant's recipe, the fields that an
  /// original varies by.
  var recipe: String {
    switch self {
    case .original(_, let vary): vary
    case .variant(_, let recipe): recipe
    case .document: ""
    }
  }

  /// The fields that an original varies by, without the mark of its credentials.
  var selection: String { divided.selection }

  /// The mark of the credentials that the entry is for; empty for none.
  var mark: String { divided.mark }

  /// A line that begins with `=`, as no field of `Vary` does, is the mark.
  private var divided: (selection: String, mark: String) {
    let text = recipe
    guard let sign = text.utf8.lastIndex(of: UInt8(ascii: "=")), sign > text.startIndex else {
      return (text, "")
    }
    let end = text.utf8.index(before: sign)
    guard text.utf8[end] == UInt8(ascii: "\n") else { return (text, "") }
    return (String(text[..<end]), String(text[sign...].dropFirst()))
  }

  /// The key of the same entry for credentials with a mark, of one that is for none.
  package func marked(_ mark: String) -> CacheKey {
    let recipe = mark.isEmpty ? recipe : "\(recipe)\n=\(mark)"
    return switch self {
    case .original(let url, _): .original(url: url, vary: recipe)
    case .variant(let source, _): .variant(source: source, recipe: recipe)
    case .document: self
    }
  }

  init?(kind: Int64, name: String, recipe: String) {
    switch EntrySelection.Kind(rawValue: Int(kind)) {
    case .original: self = .original(url: name, vary: recipe)
    case .variant: self = .variant(source: name, recipe: recipe)
    case .document: self = .document(url: name)
    case nil: return nil
    }
  }

  /// Whether this is an original of that URL, with any `vary`.
  func isVariation(of url: String) -> Bool {
    if case .original(url, _) = self { true } else { false }
  }

  /// Whether the name is empty; such a key finds nothing, and a store with it fails.
  var isEmpty: Bool { name.isEmpty }

  /// 64 bits spread over all keys. The index compares the columns too, so equal hashes do no harm.
  /// All variations of an original share it, so that they are found and removed together.
  ///
  /// It is stored in the index, so it never changes: kind, name and a variant's recipe, eight bytes
  /// a round, each round a multiplication whose halves are added without carry (as in wyhash).
  var indexHash: UInt64 {
    var mixer = KeyMixer(seed: UInt64(kind.rawValue))
    mixer.add(name)
    if case .variant(_, let recipe) = self { mixer.add(recipe) } else { mixer.add("") }
    return mixer.value
  }

  /// The hash of a name of another kind than the keys have.
  static func hash(kind: Int, name: String) -> UInt64 {
    var mixer = KeyMixer(seed: UInt64(kind))
    mixer.add(name)
    return mixer.value
  }
}

private struct KeyMixer {
  var value: UInt64

  init(seed: UInt64) { value = seed &+ 0x9E37_79B9_7F4A_7C15 }

  mutating func add(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      let raw = UnsafeRawBufferPointer(bytes)
      var at = 0
      while at + 8 <= raw.count {
        mix(UInt64(littleEndian: raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)))
        at += 8
      }
      var rest: UInt64 = 0
      for index in at..<raw.count { rest |= UInt64(raw[index]) << UInt64(8 * (index - at)) }
      mix(rest)
      mix(UInt64(raw.count))
    }
  }

  private mutating func mix(_ word: UInt64) {
    let product = (value ^ word).multipliedFullWidth(by: 0xA076_1D64_78BD_642F)
    value = product.high ^ product.low ^ word &* 0xE703_7ED1_A0B4_28DB
  }
}
