public import ImageCodecs
public import ImageModel

/// The queries to a terminal about itself, and its replies.
///
/// Every terminal replies to the last query, for its primary device attributes; only some reply to
/// those before it. Bytes that are not a reply are typed input, and are skipped.
public struct TerminalReplies: Sendable, Equatable {
  /// Whether the kitty graphics protocol is supported.
  public private(set) var knowsKitty = false
  /// Whether sixels are supported: attribute 4.
  public private(set) var knowsSixel = false
  /// The size of a cell in pixels.
  public private(set) var cell: PixelSize?
  /// The background color.
  public private(set) var background: PixelColor?
  /// Whether the last query was answered.
  public private(set) var isComplete = false

  private var sequence: [UInt8] = []

  /// The queries: kitty graphics, the background (OSC 11), the size of a cell (XTWINOPS 16), the
  /// attributes (DA1). `screen` in between would print unknown sequences.
  public static func questions(isMultiplexed: Bool) -> [UInt8] {
    let kitty = "\u{1B}_Gi=\(queryID),s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
    return Array(((isMultiplexed ? "" : kitty) + "\u{1B}]11;?\u{1B}\\\u{1B}[16t\u{1B}[c").utf8)
  }

  private static let queryID = 31
  private static let maximumLength = 256

  /// Creates replies to queries that are not answered yet.
  public init() {}

  /// Parses input, in pieces of any size.
  public mutating func read(_ bytes: some Sequence<UInt8>) {
    for byte in bytes { read(byte) }
  }

  private mutating func read(_ byte: UInt8) {
    if sequence.isEmpty {
      if byte == 0x1B { sequence = [byte] }
      return
    }
    sequence.append(byte)
    if sequence.count == 2 {
      // CSI, OSC, APC and DCS carry replies; anything else is a key.
      if ![0x5B, 0x5D, 0x5F, 0x50].contains(byte) { sequence = byte == 0x1B ? [byte] : [] }
    } else if sequence[1] == 0x5B {
      if (0x40...0x7E).contains(byte) { end { $0.readControl($1) } }
    } else if byte == 0x07 {
      end { $0.readString($1.dropLast()) }
    } else if byte == 0x5C, sequence[sequence.count - 2] == 0x1B {
      end { $0.readString($1.dropLast(2)) }
    }
    if sequence.count > Self.maximumLength { sequence = [] }
  }

  private mutating func end(_ read: (inout Self, ArraySlice<UInt8>) -> Void) {
    let whole = sequence
    sequence = []
    read(&self, whole[1...])
  }

  /// `[?62;4c` or `[6;20;10t`.
  private mutating func readControl(_ body: ArraySlice<UInt8>) {
    let text = String(decoding: body, as: UTF8.self).dropFirst()
    if text.hasPrefix("?"), text.last == "c" {
      let attributes = text.dropFirst().dropLast().split(separator: ";")
      // The first is the class of the terminal; a VT1xx has no sixels in any case.
      knowsSixel = attributes.dropFirst().contains("4")
      isComplete = true
    } else if text.last == "t" {
      let numbers = text.dropLast().split(separator: ";").map { Int($0) ?? 0 }
      if numbers.count == 3, numbers[0] == 6, (1...1000).contains(numbers[1]),
        (1...1000).contains(numbers[2])
      {
        cell = PixelSize(width: numbers[2], height: numbers[1])
      }
    }
  }

  /// `_Gi=31;OK` or `]11;rgb:1e1e/1e1e/2e2e`.
  private mutating func readString(_ body: ArraySlice<UInt8>) {
    let text = String(decoding: body, as: UTF8.self)
    if text.hasPrefix("_G") {
      let parts = text.dropFirst(2).split(separator: ";")
      if parts.count == 2, parts[1] == "OK",
        parts[0].split(separator: ",").contains("i=\(Self.queryID)")
      {
        knowsKitty = true
      }
    } else if text.hasPrefix("]11;rgb:") {
      let samples = text.dropFirst(8).split(separator: "/").map(Self.sample)
      if samples.count == 3, let red = samples[0], let green = samples[1], let blue = samples[2] {
        background = PixelColor(red: red, green: green, blue: blue)
      }
    }
  }

  /// Parses one to four hexadecimal digits; their highest number is full intensity.
  private static func sample(_ digits: Substring) -> UInt8? {
    guard (1...4).contains(digits.count), let value = Int(digits, radix: 16) else { return nil }
    let full = (1 << (4 * digits.count)) - 1
    return UInt8((value * 255 + full / 2) / full)
  }
}
