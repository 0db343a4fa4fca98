import TextEncodings

/// An encoding of the web, by one of its labels.
///
/// Authors write `gb2312` and mean GBK, `iso-8859-1` and mean windows-1252: each label names the
/// encoding that browsers read. Source: WHATWG, Encoding Standard, "Names and labels".
struct TextEncoding: Sendable, Hashable {
  /// The name for `iconv`, apart from the encodings that need none.
  let name: String

  static let utf8 = TextEncoding(name: "UTF-8")
  static let utf16LittleEndian = TextEncoding(name: "UTF-16LE")
  static let utf16BigEndian = TextEncoding(name: "UTF-16BE")
  static let utf32LittleEndian = TextEncoding(name: "UTF-32LE")
  static let utf32BigEndian = TextEncoding(name: "UTF-32BE")
  static let windows1252 = TextEncoding(name: "CP1252")

  private init(name: String) { self.name = name }

  init?(label: String) {
    let label = label.trimmingWhiteSpace().lowercased()
    guard let name = Self.names[label] ?? Self.numbered(label) else { return nil }
    self.name = name
  }

  /// Returns text as UTF-8, with U+FFFD for the bytes that the encoding does not have; `nil` if
  /// `iconv` does not have the encoding on this machine.
  func decoded(_ bytes: ArraySlice<UInt8>) -> (bytes: [UInt8], faultCount: Int)? {
    switch self {
    case .utf8: return (Array(String(decoding: bytes, as: UTF8.self).utf8), 0)
    case .utf16LittleEndian, .utf16BigEndian:
      let high = self == .utf16BigEndian ? 0 : 1
      let units = stride(from: bytes.startIndex, to: bytes.endIndex - 1, by: 2).map {
        UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + 1 - high])
      }
      return (Array(String(decoding: units, as: UTF16.self).utf8), 0)
    case .windows1252:
      var text = String.UnicodeScalarView()
      for byte in bytes {
        text.append(
          (0x80..<0xA0).contains(byte) ? Self.upper[Int(byte) - 0x80] : Unicode.Scalar(byte))
      }
      return (Array(String(text).utf8), 0)
    default:
      let width = name.hasPrefix("UTF-32") ? 4 : Self.doubleByte.contains(name) ? 2 : 1
      return converted(bytes, width: width)
    }
  }

  private static let upper = Array(
    "€\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}\u{90}‘’“”•–—˜™š›œ\u{9D}žŸ".unicodeScalars)

  /// ISO 8859 and Windows code pages in their usual spellings.
  private static func numbered(_ label: String) -> String? {
    for prefix in ["windows-", "windows", "cp", "x-cp"] where label.hasPrefix(prefix) {
      if let number = Int(label.dropFirst(prefix.count)), (1250...1258).contains(number) {
        return "CP\(number)"
      }
    }
    for prefix in ["iso-8859-", "iso8859-", "iso_8859-", "iso8859", "iso_8859"]
    where label.hasPrefix(prefix) {
      switch Int(label.dropFirst(prefix.count).prefix { $0 != ":" }) {
      case 1: return "CP1252"
      case 9: return "CP1254"
      case 11: return "CP874"
      case .some(let number) where (2...16).contains(number) && number != 12:
        return "ISO-8859-\(number)"
      default: continue
      }
    }
    return nil
  }

  private static let doubleByte = ["GB18030", "BIG5-HKSCS", "EUC-JP-MS", "CP932", "CP949"]

  private static let names: [String: String] = {
    let table = """
      UTF-8: utf-8 utf8 utf_8 utf-8n unicode-1-1-utf-8 unicode11utf8 unicode20utf8 x-unicode20utf8
      UTF-16LE: utf-16 utf-16le utf16 ucs-2 unicode csunicode iso-10646-ucs-2 unicodefeff
      UTF-16BE: utf-16be unicodefffe
      CP1252: ascii us-ascii ansi_x3.4-1968 latin1 latin-1 l1 cp819 ibm819 iso-ir-100 csisolatin1 \
        ansi
      ISO-8859-2: latin2 l2 csisolatin2 iso-ir-101
      ISO-8859-3: latin3 l3 csisolatin3
      ISO-8859-4: latin4 l4 csisolatin4
      ISO-8859-5: cyrillic csisolatincyrillic
      ISO-8859-6: arabic asmo-708 csisolatinarabic
      ISO-8859-7: greek greek8 ecma-118 sun_eu_greek csisolatingreek
      ISO-8859-8: hebrew visual logical iso-8859-8-i iso-8859-8-e csisolatinhebrew
      CP1254: latin5 l5 csisolatin5
      ISO-8859-10: latin6 l6 csisolatin6
      ISO-8859-15: latin9 latin-9 l9 csisolatin9
      CP874: windows-874 dos-874 tis-620
      IBM866: ibm866 cp866 866 csibm866
      KOI8-R: koi8-r koi8 koi koi8_r cskoi8r
      KOI8-U: koi8-u koi8-ru
      MACINTOSH: macintosh mac x-mac-roman csmacintosh
      MAC-CYRILLIC: x-mac-cyrillic x-mac-ukrainian
      GB18030: gb18030 gbk x-gbk gb2312 gb-2312 gb_2312 gb_2312-80 chinese csgb2312 csiso58gb231280 \
        euc-cn iso-ir-58 cp936 ms936 windows-936
      BIG5-HKSCS: big5 big-5 big5-hkscs cn-big5 csbig5 x-x-big5 cp950 ms950 windows-950
      EUC-JP-MS: euc-jp eucjp euc_jp x-euc-jp cseucpkdfmtjapanese
      ISO-2022-JP: iso-2022-jp csiso2022jp
      CP932: shift_jis shift-jis sjis x-sjis ms_kanji ms932 windows-31j windows-932 csshiftjis cp932
      CP949: euc-kr euckr cseuckr iso-ir-149 ks_c_5601-1987 ks_c_5601-1989 csksc56011987 ksc5601 \
        ksc_5601 korean windows-949 ms949 cp949 uhc
      """
    var names: [String: String] = [:]
    for row in table.split(separator: "\n") {
      let words = row.split(whereSeparator: " :".contains)
      for label in words.dropFirst() { names[String(label)] = String(words[0]) }
    }
    return names
  }()
}
