struct FeedDateToken {
  struct Number {
    var value: Int
    var digits: Int

    /// The year that it means: 24 is 2024, 99 is 1999, and 124 what programs made of 2024; 0024 is
    /// none.
    var year: Int? {
      switch digits {
      case 2: value + (value < 50 ? 2000 : 1900)
      case 3: value + 1900
      case 4 where value >= 1000: value
      default: nil
      }
    }
  }

  var number: Number?
  var word: String?
  var mark: Unicode.Scalar?
  /// Whether white space precedes it.
  var isSpaced = false

  private enum Role {
    case space, letter, mark
    case digit(Int)

    init(_ scalar: Unicode.Scalar) {
      switch scalar {
      case "0"..."9": self = .digit(Int(scalar.value) - 0x30)
      case "a"..."z": self = .letter
      case "!"..."~": self = .mark
      case " ": self = .space
      default:
        // Of others a look-up takes longer than all else in reading a date.
        let properties = scalar.properties
        if properties.isWhitespace {
          self = .space
        } else if properties.numericType == .decimal, let value = properties.numericValue {
          self = .digit(Int(value))
        } else {
          let isLetter = properties.isAlphabetic || properties.generalCategory == .nonspacingMark
          self = isLetter ? .letter : .mark
        }
      }
    }
  }

  /// The tokens of text in lower case. Letters of Chinese, Japanese and Korean are words of their own.
  static func tokens(of text: String) -> [FeedDateToken] {
    var tokens: [FeedDateToken] = []
    var isSpaced = false
    var last: Unicode.Scalar?
    for scalar in text.unicodeScalars {
      defer { last = scalar }
      var token = FeedDateToken(isSpaced: isSpaced)
      switch Role(scalar) {
      case .space:
        isSpaced = true
        continue
      case .digit(let digit):
        if !isSpaced, let number = tokens.last?.number {
          guard number.digits < 18 else { return [] }
          tokens[tokens.count - 1].number = Number(
            value: number.value * 10 + digit, digits: number.digits + 1)
          continue
        }
        token.number = Number(value: digit, digits: 1)
      case .letter:
        if !isSpaced, let word = tokens.last?.word, max(scalar, last ?? scalar).value < 0x2E80 {
          tokens[tokens.count - 1].word = word + String(Character(scalar))
          continue
        }
        token.word = String(Character(scalar))
      case .mark:
        // `a.m.` is one word.
        if scalar == ".", let word = tokens.last?.word, ["a", "p", "am", "pm"].contains(word) {
          continue
        }
        token.mark = scalar
      }
      tokens.append(token)
      isSpaced = false
    }
    return tokens
  }
}

enum FeedDateWords {
  enum Unit { case year, month, day, hour, minute, second }

  /// What the number before a word is.
  static let units: [String: Unit] = [
    "年": .year, "년": .year, "月": .month, "월": .month, "日": .day, "号": .day, "號": .day,
    "일": .day, "时": .hour, "時": .hour, "点": .hour, "點": .hour, "시": .hour, "h": .hour,
    "uhr": .hour, "分": .minute, "분": .minute, "秒": .second, "초": .second,
  ]

  /// Halves of the day behind a time, as the hours before them.
  static let halves = ["am": 0, "pm": 12]

  /// Halves of the day before a time: of 上午 and 下午, 午前 and 午後, 오전 and 오후, 晚上 the letter that tells.
  static func half(_ word: String) -> Int? {
    if ["下", "後", "后", "晚", "후"].contains(word) { return 12 }
    return ["上", "前", "早", "전"].contains(word) ? 0 : nil
  }

  /// The month whose name a word is, or begins like; 1 for January.
  static func month(_ word: String) -> Int? {
    for count in stride(from: min(word.count, 7), to: 2, by: -1) {
      if let month = months[String(word.prefix(count))] { return month == 0 ? nil : month }
    }
    return nil
  }

  /// Beginnings of names of months, the longest decides; 0 for a day of the week.
  private static let months: [String: Int] = {
    let names = [
      // Tuesday and Monday in languages whose March begins alike.
      "mardi martes marted marți marti",
      "jan jän gen ene ian янв яну січ sty led oca tammi ιαν ιανου",
      "feb fév fev фев лют lut úno uno şub subat helmi φεβ",
      "mar mär már maart mrt märz мар бер bře bre maalis μαρ μάρ",
      "apr abr avr ápr апр кві kwi dub nis huhti απρ",
      "may mai maj mei mag máj май мая тра kvě kve touko μαΐ μάι μαι",
      "jun juin jún giu iun июн юни чер cze čer cer haz kesä ιουν ιούν",
      "jul juil júl lug iul июл юли лип lip červenc cervenc tem heinä ιουλ ιούλ",
      "aug ago août aou авг серп sie srp ağu agu elok αυγ αύγ",
      "sep set szep сен сеп вер wrz zář zar eyl syys σεπ",
      "oct okt out ott окт жов paź pazd říj rij eki loka οκτ",
      "nov ноя ное лис lis kas marras noi νοε νοέ",
      "dec déc dez dic dis des дек гру gru pro aral joulu δεκ",
    ]
    var months: [String: Int] = [:]
    for (month, names) in names.enumerated() {
      for name in names.split(separator: " ") { months[String(name.prefix(7))] = month }
    }
    return months
  }()

  /// Zones in minutes ahead of UTC, those of RFC 822 with its meaning.
  static let zones: [String: Int] = {
    var zones: [String: Int] = [:]
    for (minutes, names) in [
      (0, "z ut utc gmt wet"), (60, "cet mez met bst west"), (120, "cest mesz eet sast"),
      (180, "eest msk"), (330, "ist"), (420, "ict wib"), (480, "hkt sgt awst"), (540, "jst kst"),
      (600, "aest"), (660, "aedt"), (720, "nzst"), (780, "nzdt"), (-180, "brt art adt"),
      (-240, "edt ast"), (-300, "est cdt"), (-360, "cst mdt"), (-420, "mst pdt"),
      (-480, "pst akdt"),
      (-540, "akst"), (-600, "hst"),
    ] {
      for name in names.split(separator: " ") { zones[String(name)] = minutes }
    }
    return zones
  }()
}
