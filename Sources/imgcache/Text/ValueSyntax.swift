import ArgumentParser
import ImageModel

func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
  if !condition { throw ValidationError(message()) }
}

extension ImageError {
  /// An error of the command line, of a variable or of a file that an option names.
  static func misuse(_ message: String) -> ImageError { ImageError(.invalidArgument, message) }

  /// Runs `body`, whose error becomes one of the command line, about a subject.
  static func misuse<Result>(
    about subject: String, _ body: () throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    do throws(ImageError) {
      return try body()
    } catch {
      throw misuse("\(subject): \(error.message)")
    }
  }
}

enum ValueSyntax {
  static let relativeDays = ["latest", "today", "yesterday"]

  /// What to write, by the name of the value: a type can only refuse a text, and says no reason.
  private static let syntax = [
    "n": "a whole number", "bytes": "a number of bytes below 8 EiB: 500000, 64MiB or 2GB",
    "duration": "500ms, 30s, 5m, 12h, 7d or 1h30m", "n[/s|/m]": "4, 4/s or 30/m",
    "WxH": "width and height up to 65535: 200x200, or 640x0 if one is free",
    "WxH[:FIT]": "width and height up to 65535, and fit: 200x200:cover, or 640x0:inside",
    "1-100": "a whole number from 1 to 100",
    "1-100|lossless": "a whole number from 1 to 100, or lossless",
    "COLSxROWS": "columns and rows: 80x24", "RRGGBB": "six hexadecimal digits: ffffff",
    "X,Y,W,H":
      "a part inside the image, in pixels or shares of its sides: 10,0,300,200 or 0.25,0.0,0.5,1.0",
    "0.3-100": "a number of pixels from 0.3 to 100", "pixels": "a number of pixels up to 65535",
    "X,Y|auto": "two shares from 0 to 1, such as 0.5,0.3, or auto",
    "formats": "avif, webp, both with a comma between them, or none",
    "host:port|unix:path":
      "127.0.0.1:8780, with a port up to 65535, or unix:/run/imgcache.sock, a path of at most 107 bytes",
  ]

  /// Returns a message with what to write, if it is about an invalid value and states no reason.
  static func explained(_ message: String) -> String {
    guard message.hasPrefix("The value '") else { return message }
    if message.hasSuffix(">'"), let start = message.lastIndex(of: "<"),
      let syntax = syntax[String(message[start...].dropFirst().dropLast(2))]
    {
      return message + ": write " + syntax
    }
    // ArgumentParser lists six values and more on lines of their own.
    let line =
      message.replacing(" the following:\n  - ", with: " '").replacing("\n  - ", with: "', '")
      + (message.contains("\n") ? "'." : "")
    return line + suggestion(for: line)
  }

  /// Returns the end of a message that lists the values, or is about a day: the one that was meant.
  private static func suggestion(for message: String) -> String {
    // The value itself, its option, and those that are listed.
    let parts = message.split(separator: "'", omittingEmptySubsequences: false)
    let names = parts.enumerated().filter { $0.offset % 2 == 1 }.map { String($0.element) }
    guard names.count > 1 else { return "" }
    let values = names.dropFirst(2) + (names[1].contains("day") ? relativeDays : [])
    guard let near = NearName.of(names[0].lowercased(), among: values) else { return "" }
    return message.hasSuffix(".") ? " Did you mean '\(near)'?" : "; did you mean '\(near)'?"
  }
}

/// The users and passwords in URLs of the command line, which are taken out of it before it is
/// parsed.
enum NamedCredentials { static let all = OriginCredentials() }
