import ImageModel

/// The ranges of a stored body that a response carries: one as it is, several as
/// `multipart/byteranges` (RFC 9110 §14.6).
public struct ByteRangeParts: Sendable, Hashable {
  /// A range, and what precedes its bytes.
  public struct Part: Sendable, Hashable {
    /// The delimiter and the fields of the part; empty for a single range.
    public let head: String
    /// Which of the stored bytes follow.
    public let bytes: Range<Int>
  }

  /// In the order of the request.
  public let parts: [Part]
  /// The text after the last part; empty for a single range.
  public let end: String
  /// The media type; `nil` for a single range, which has that of the body.
  let mediaType: String?

  /// One range.
  public init(_ bytes: Range<Int>) {
    parts = [Part(head: "", bytes: bytes)]
    end = ""
    mediaType = nil
  }

  /// The number of bytes of the response's content.
  public var byteCount: Int {
    parts.reduce(end.utf8.count) { $0 + $1.head.utf8.count + $1.bytes.count }
  }

  init(_ ranges: [Range<Int>], of total: Int, mediaType: String?) {
    let boundary = "\(UInt64.random(in: .min ... .max))\(UInt64.random(in: .min ... .max))"
    let type = mediaType.map { "Content-Type: \($0)\r\n" } ?? ""
    parts = ranges.enumerated().map { number, range in
      let place = HTTPContentRange(bytes: range, total: total)
      return Part(
        head: "\(number == 0 ? "" : "\r\n")--\(boundary)\r\n\(type)Content-Range: \(place)\r\n\r\n",
        bytes: range)
    }
    end = "\r\n--\(boundary)--\r\n"
    self.mediaType = "multipart/byteranges; boundary=\(boundary)"
  }

  /// The maximum number of ranges in a request; one with more is given the whole.
  static let maximumCount = 32
  /// Ranges with a smaller gap in between are sent as one: about what a part costs.
  private static let gap = 80

  /// The satisfiable ranges, those that overlap or are close together joined at the place of the
  /// first (RFC 9110 §15.3.7.2): so no response is longer than the body and its parts' heads.
  static func joined(_ ranges: [HTTPByteRange], of count: Int) -> [Range<Int>] {
    var joined: [Range<Int>] = []
    for var range in ranges.compactMap({ $0.resolved(of: count) }) {
      var place: Int?
      // A join may close the gap to a third range.
      while let other = joined.firstIndex(where: {
        $0.lowerBound <= range.upperBound + gap && range.lowerBound <= $0.upperBound + gap
      }) {
        let old = joined.remove(at: other)
        range = min(old.lowerBound, range.lowerBound)..<max(old.upperBound, range.upperBound)
        place = min(place ?? other, other)
      }
      joined.insert(range, at: place ?? joined.count)
    }
    return joined
  }
}
