import ImageModel

/// Names of files as text, and back.
///
/// A name is bytes, and not always UTF-8. Each byte that is not a part of UTF-8 becomes one of the
/// private-use characters U+10FF80 to U+10FFFF, and so does each byte of such a character itself, so
/// that different names are different texts.
extension String {
  private static let escapes: ClosedRange<Unicode.Scalar> = "\u{10FF80}"..."\u{10FFFF}"

  init(fileName bytes: some Collection<UInt8>) {
    self.init()
    var parser = Unicode.UTF8.ForwardParser()
    var (input, rest) = (bytes.makeIterator(), bytes[...])
    while true {
      let length: Int
      switch parser.parseScalar(from: &input) {
      case .emptyInput: return
      case .error(let count): length = count
      case .valid(let encoded):
        let scalar = Unicode.UTF8.decode(encoded)
        length = encoded.count
        if !Self.escapes.contains(scalar) {
          unicodeScalars.append(scalar)
          rest = rest.dropFirst(length)
          continue
        }
      }
      unicodeScalars += rest.prefix(length).compactMap { Unicode.Scalar(0x10FF00 + UInt32($0)) }
      rest = rest.dropFirst(length)
    }
  }

  init(fileName: UnsafePointer<CChar>) {
    self.init(fileName: UnsafeRawBufferPointer(start: fileName, count: strlen(fileName)))
  }

  var isRawFileName: Bool {
    // All of them begin with this byte, and little else does.
    utf8.contains(0xF4) && unicodeScalars.contains(where: Self.escapes.contains)
  }

  /// The type of the file, such as `S_IFREG`; `nil` if there is none of the name.
  var fileType: mode_t? {
    var facts = stat()
    return stat(fileName, &facts) == 0 ? facts.st_mode & S_IFMT : nil
  }

  /// The bytes of the name, and NUL, for system calls.
  var fileName: [CChar] {
    guard isRawFileName else { return Array(utf8CString) }
    let bytes = unicodeScalars.flatMap { scalar in
      Self.escapes.contains(scalar)
        ? [UInt8(truncatingIfNeeded: scalar.value)] : Array(String(scalar).utf8)
    }
    return bytes.map { CChar(bitPattern: $0) } + [0]
  }

  var withoutRawBytes: String {
    guard isRawFileName else { return self }
    return String(
      String.UnicodeScalarView(unicodeScalars.map { Self.escapes.contains($0) ? "\u{FFFD}" : $0 }))
  }
}

extension String {
  /// The path up to the last dot of the file's name, and the rest: `("a/b", ".png")`.
  var splitAtExtension: (stem: Substring, suffix: Substring) {
    guard let dot = lastIndex(of: "."), !self[dot...].contains("/") else { return (self[...], "") }
    return (self[..<dot], self[dot...])
  }
}

/// A command whose arguments name files, also such whose names are not UTF-8.
protocol FileNaming {
  /// The arguments that are opened by ``InputFile``, ``OutputFile`` or ``OutputFolder``.
  var fileNames: [String] { get }
}
