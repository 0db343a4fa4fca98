import DiskCaching

/// `--name value` pairs after a sub-command.
struct Arguments {
  private var values: [String: String] = [:]

  init(_ words: some Sequence<String>) {
    var name: String?
    for word in words {
      if word.hasPrefix("--") {
        name = String(word.dropFirst(2))
        if let name { values[name] = "" }
      } else if let known = name {
        values[known] = word
        name = nil
      }
    }
  }

  func text(_ name: String, default value: String = "") -> String { values[name] ?? value }

  func number(_ name: String, default value: Int) -> Int {
    values[name].flatMap { Int($0) } ?? value
  }

  func has(_ name: String) -> Bool { values[name] != nil }

  /// The directory, with a limit that nothing reaches unless one is given.
  var configuration: DiskCache.Configuration { configuration(of: text("dir")) }

  func configuration(of directory: String) -> DiskCache.Configuration {
    var configuration = DiskCache.Configuration(directory: directory)
    configuration.maximumByteCount = number("limit", default: 1 << 40)
    return configuration
  }
}
