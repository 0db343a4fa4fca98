#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  public import Foundation
#endif

/// Hexadecimal digits. Source: RFC 4648 §8, written in lower case.
public enum Hex {
  /// Returns two digits for each byte.
  public static func encoded(_ bytes: [UInt8]) -> String { bytes.withUnsafeBytes(encoded) }

  /// Returns two digits for each byte.
  public static func encoded(_ bytes: UnsafeRawBufferPointer) -> String {
    String(unsafeUninitializedCapacity: 2 * bytes.count) { room in
      write(bytes, to: room, at: 0)
      return 2 * bytes.count
    }
  }

  /// Writes two digits for each byte.
  package static func write(
    _ bytes: UnsafeRawBufferPointer, to room: UnsafeMutableBufferPointer<UInt8>, at start: Int
  ) {
    for (index, byte) in bytes.enumerated() {
      room[start + 2 * index] = digit(byte >> 4)
      room[start + 2 * index + 1] = digit(byte & 15)
    }
  }

  /// Returns the last digits of a number, with leading zeros.
  public static func encoded(_ number: some FixedWidthInteger, digitCount: Int) -> String {
    let places = stride(from: 4 * (digitCount - 1), through: 0, by: -4)
    return String(
      decoding: places.map { digit(UInt8(truncatingIfNeeded: number >> $0) & 15) }, as: UTF8.self)
  }

  /// Returns the value of a digit, upper or lower case; `nil` for any other byte.
  public static func value(of digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }

  private static func digit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
  }
}

/// Base64 with padding. Source: RFC 4648 §4.
public enum Base64 {
  /// Returns four characters for every three bytes begun.
  public static func encoded(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }

  /// Returns the bytes of an encoded text; `nil` for anything else.
  public static func decoded(_ text: String) -> [UInt8]? {
    Data(base64Encoded: text).map(Array.init)
  }
}
