import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// One line of an access log, as far as a trace needs it.
struct LogLine {
  var time: Int?
  /// The target of the request behind the host, where the line has one; empty for a request that is
  /// not of HTTP.
  var key: [UInt8] = []
  var isGet = false
  var status = 0
  /// 0 for none, or `-`.
  var byteCount = 0

  /// Reads a line of any of the formats; `nil` for anything else.
  init?(_ line: UnsafeRawBufferPointer) {
    // Where logrotate truncated a file that its writer had open (copytruncate), zeros are in front.
    let line = UnsafeRawBufferPointer(rebasing: line[line.prefix { $0 == 0 }.count...])
    if line.first != UInt8(ascii: "{"), let line = LogLine(text: line) {
      self = line
    } else if let object = line.firstIndex(of: UInt8(ascii: "{")),
      let line = LogLine(json: UnsafeRawBufferPointer(rebasing: line[object...]))
    {
      self = line
    } else {
      return nil
    }
  }

  // MARK: Text

  /// `[date]`, then `"request" status bytes`, in the common and combined formats and the program's
  /// own: the fields before, between and behind vary.
  private init?(text line: UnsafeRawBufferPointer) {
    // A server may have brackets before the date: those of an address, or of a user's name.
    var opening = line.startIndex
    var date: (time: Int, end: Int)?
    while date == nil, let next = line[opening...].firstIndex(of: UInt8(ascii: "[")) {
      opening = next
      if let end = line[next...].prefix(40).firstIndex(of: UInt8(ascii: "]")) {
        date = Timestamp.seconds(of: Array(line[next + 1..<end])).map { ($0, end) }
      }
      if date == nil { opening += 1 }
    }
    guard let date, let quote = line[date.end...].firstIndex(of: UInt8(ascii: "\"")),
      let end = Self.endOfRequest(in: line, behind: quote)
    else { return nil }
    (time, status, byteCount) = (date.time, end.status, end.byteCount)
    // A target may have blanks: the method ends at the first one, the version begins at the last.
    let request = line[quote + 1..<end.quote]
    guard let first = request.firstIndex(of: 32) else { return }
    isGet = request[..<first].elementsEqual("GET".utf8)
    var target = request[(first + 1)...]
    if let last = target.lastIndex(of: 32), target[(last + 1)...].starts(with: "HTTP/".utf8) {
      target = target[..<last]
    }
    key = Self.host(line[..<opening]) + target
  }

  /// The quote that ends a request, with the status and the bytes behind it. It is not escaped; where
  /// nginx escapes nothing (`escape=none`), a request may have other quotes.
  private static func endOfRequest(
    in line: UnsafeRawBufferPointer, behind opening: Int
  ) -> (quote: Int, status: Int, byteCount: Int)? {
    var at = opening + 1
    while at + 5 < line.count {
      if line[at] == UInt8(ascii: "\\") {
        at += 1
      } else if line[at] == UInt8(ascii: "\""), line[at + 1] == 32, line[at + 5] == 32,
        let status = TraceFields.number(UnsafeRawBufferPointer(rebasing: line[at + 2..<at + 5]))
      {
        let field = line[(at + 6)...].prefix { $0 != 32 && $0 != 13 }
        let count = TraceFields.number(UnsafeRawBufferPointer(rebasing: field))
        if let count { return (at, Int(status), Int(clamping: count)) }
        if field.elementsEqual("-".utf8) { return (at, Int(status), 0) }
      }
      at += 1
    }
    return nil
  }

  /// The virtual host that Apache's `vhost_combined` has before the address; empty for none.
  ///
  /// Without one, `-` is the second field. The time of a request may be there instead of a host, or
  /// the first of several addresses of `X-Forwarded-For`.
  private static func host(_ fields: Slice<UnsafeRawBufferPointer>) -> [UInt8] {
    let fields = fields.split(separator: 32, maxSplits: 3)
    guard fields.count > 3, !fields[1].elementsEqual("-".utf8), fields[2].elementsEqual("-".utf8),
      fields[0].contains(where: { $0 > 57 }), fields[0].last != UInt8(ascii: ",")
    else { return [] }
    return Array(fields[0])
  }

  // MARK: JSON

  /// An object of Caddy's log or of the program's own; Caddy's console format has fields before it.
  private init?(json: UnsafeRawBufferPointer) {
    guard let object = try? JSONDecoder().decode(LogObject.self, from: Data(json)),
      let method = object.request?.method ?? object.method,
      let target = object.request?.uri ?? object.target, let status = object.status
    else { return nil }
    time = object.ts?.seconds ?? object.time?.seconds
    key = Array((object.request?.host ?? "").utf8) + target.utf8
    isGet = method == "GET"
    self.status = status
    byteCount = max(0, object.size ?? object.bytes ?? 0)
  }
}

/// The members of a JSON line: `request`, `size` and `ts` are Caddy's, the others the program's own.
private struct LogObject: Decodable {
  struct Request: Decodable {
    let method: String
    let host: String?
    let uri: String
  }

  let request: Request?
  let size: Int?
  let ts: LogTime?
  let method: String?
  let target: String?
  let bytes: Int?
  let time: LogTime?
  let status: Int?
}

/// Seconds since 1970, as a number or as a text that ``Timestamp`` reads.
private struct LogTime: Decodable {
  let seconds: Int?

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let number = try? container.decode(Double.self) {
      seconds = Int(exactly: number.rounded(.down))
    } else {
      seconds = Timestamp.seconds(of: Array(try container.decode(String.self).utf8))
    }
  }
}
