import ImageModel

/// Decides which lines of an access log are requests of a trace, and counts the others.
///
/// A request is a GET that was answered with a body (200), a part of it (206), or by the statement
/// that the client has it (304). The latter two count with the size of the object as the log shows it
/// elsewhere.
struct LogTally {
  /// The share of malformed lines above which a file is refused, in per cent.
  static let maximumMalformedPercent = 10
  static let formats = "the common or combined format, Caddy's JSON or imgcache's own"

  private var lineCount = 0
  private var requestCount = 0
  private var otherMethodCount = 0
  private var otherStatusCount = 0
  private var emptyCount = 0
  private var malformedCount = 0
  private var firstMalformed: Int?
  private var lastMalformed: Int?
  private var firstLine: Int?
  private var lastLine = 0
  /// Requests for objects whose size no line shows; they are not in the trace.
  var unknownSizeCount = 0

  /// Adds a line that is not blank; returns `false` when the sizes sum up to too much.
  mutating func add(
    _ line: UnsafeRawBufferPointer, number: Int, to builder: inout TraceBuilder
  ) -> Bool {
    lineCount += 1
    if firstLine == nil { firstLine = number }
    lastLine = number
    guard let line = LogLine(line) else {
      malformedCount += 1
      if firstMalformed == nil { firstMalformed = number }
      lastMalformed = number
      return true
    }
    if let time = line.time { builder.time = time }
    switch (line.isGet, line.status) {
    case (false, _): otherMethodCount += 1
    case (true, 200) where line.byteCount == 0: emptyCount += 1
    case (true, 200), (true, 206), (true, 304):
      requestCount += 1
      return line.key.withUnsafeBytes {
        builder.add(text: $0, size: line.status == 200 ? line.byteCount : 0)
      }
    case (true, _): otherStatusCount += 1
    }
    return true
  }

  /// The reason to refuse the file, in words for behind its name: too many lines are malformed. The
  /// first and the last line may be cut off, so these do not count.
  var refusal: String? {
    guard let firstMalformed else { return nil }
    let cut = (firstMalformed == firstLine ? 1 : 0) + (lastMalformed == lastLine ? 1 : 0)
    let isTooMuch = (malformedCount - cut) * 100 > lineCount * Self.maximumMalformedPercent
    guard isTooMuch || malformedCount == lineCount else { return nil }
    return """
      line \(firstMalformed) is not of an access log in \(Self.formats), as \(malformedCount) of \
      \(lineCount) lines are not; up to \(Self.maximumMalformedPercent) % would be left out
      """
  }

  /// What was left out; `nil` for nothing.
  var summary: String? {
    let malformed = firstMalformed.map { "malformed (the first is line \($0))" } ?? ""
    let parts = [
      (otherMethodCount, "not GET"),
      (otherStatusCount, "with a status other than 200, 206 and 304"),
      (emptyCount, "without a body"),
      (unknownSizeCount, "for objects whose size no line shows"), (malformedCount, malformed),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    return parts.isEmpty
      ? nil
      : """
      \(requestCount - unknownSizeCount) of \(lineCount) lines are requests; left out: \
      \(parts.joined(separator: ", "))
      """
  }
}
