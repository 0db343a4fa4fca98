package import ImageModel
import TextEncodings
#if canImport(Darwin)
  package import Darwin
#else
  import Glibc
#endif

/// Reads files, named by paths and by `file` URLs of this machine.
package enum FileFetcher {
  /// Returns the path that a text names; `nil` for a URL of another scheme or host.
  package static func path(of text: String) -> String? {
    let scheme = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }
    guard text[scheme.endIndex...].hasPrefix("://"), !scheme.isEmpty else {
      return text.isEmpty ? nil : text
    }
    guard scheme.lowercased() == "file" else { return nil }
    let rest = text[scheme.endIndex...].dropFirst(3)
    let host = rest.prefix { $0 != "/" }
    guard host.isEmpty || host.lowercased() == "localhost", rest.endIndex != host.endIndex else {
      return nil
    }
    return String(decoding: PercentEncoding.decoded(rest[host.endIndex...]).bytes, as: UTF8.self)
  }

  package static func response(to url: String, at path: String) throws(ImageError)
    -> FetchedResponse
  {
    let bytes = try read(path, maximumByteCount: FetchLimits().maximumByteCount)
    guard !bytes.isEmpty else { throw ImageError(.emptyBody, "\(path) is empty", url: url) }
    return FetchedResponse(head: ResponseHead(url: url, status: 200), body: .bytes(bytes))
  }

  /// To the end rather than by size: pipes and devices work, and a file that grows has the limit.
  package static func read(_ path: String, maximumByteCount: Int) throws(ImageError) -> [UInt8] {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw unreadable(path) }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw unreadable(path) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(min(max(0, Int(status.st_size)), maximumByteCount))
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = systemRead(file, &chunk, chunk.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(path) }
      if count == 0 { return bytes }
      guard count <= maximumByteCount - bytes.count else {
        throw ImageError(.tooLarge, "\(path) is larger than \(maximumByteCount) bytes")
      }
      bytes += chunk[..<count]
    }
  }

  private static func unreadable(_ path: String) -> ImageError {
    ImageError(.fileUnreadable, "cannot read \(path)", errno: errno)
  }
}

// Outside the type, whose own method of this name would hide it.
private func systemRead(_ file: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  read(file, buffer, count)
}
