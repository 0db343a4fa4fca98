/// The language of a title, guessed from its letters.
public enum TitleLanguage {
  /// The language of a title by its script; `nil` if that is ambiguous.
  public static func tag(of title: String) -> String? {
    var hasHan = false
    for scalar in title.unicodeScalars.prefix(300) {
      switch scalar.value {
      case 0x3041...0x30FF: return "ja"
      case 0xAC00...0xD7AF: return "ko"
      case 0x3400...0x9FFF, 0x20000...0x323AF: hasHan = true
      default: break
      }
    }
    if hasHan { return "zh-CN" }
    return title.utf8.allSatisfy { $0 < 0x80 } ? "en" : nil
  }
}
