#if canImport(Glibc)
  import Glibc
#else
  package import Darwin
#endif

extension String {
  /// A host without a final dot, which means the same host.
  package var withoutFinalDot: String { hasSuffix(".") ? String(dropLast()) : self }
}

enum HostName {
  /// Returns a name as DNS has it, in lower case; `nil` for one that it cannot have, and where the
  /// library for names beyond ASCII is missing. Source: UTS #46, nontransitional, as in browsers.
  static func ascii(_ name: Substring) -> String? {
    guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name.lowercased() }
    guard let converter = Converter.shared, let converted = converter.ascii(String(name)) else {
      return nil
    }
    // Some characters stand for others that end a host, such as a full-width solidus.
    let isHost = converted.utf8.allSatisfy {
      HTTPText.isAlphanumeric($0, or: "-._")
    }
    return isHost && !converted.isEmpty ? converted : nil
  }

  /// libidn2, which libcurl uses as well, loaded with the first such name: its calls for UTF-8 do
  /// not depend on the locale, as those of libcurl do.
  private struct Converter: Sendable {
    typealias Convert =
      @convention(c) (
        UnsafePointer<CChar>, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, CInt
      ) -> CInt

    static let shared = Converter()
    /// `IDN2_NFC_INPUT` and `IDN2_NONTRANSITIONAL`.
    private static let flags: CInt = 1 | 8

    private let convert: Convert

    private init?() {
      let names = ["libidn2.so.0", "libidn2.0.dylib"]
      guard let library = names.lazy.compactMap({ dlopen($0, RTLD_NOW) }).first,
        let convert = dlsym(library, "idn2_to_ascii_8z")
      else { return nil }
      self.convert = unsafeBitCast(convert, to: Convert.self)
    }

    func ascii(_ name: String) -> String? {
      var converted: UnsafeMutablePointer<CChar>?
      guard convert(name, &converted, Self.flags) == 0, let converted else { return nil }
      defer { free(converted) }
      return String(cString: converted).lowercased()
    }
  }
}
