import TextEncodings

/// Where the value of an option comes from, in order of precedence.
enum SettingSource: Hashable, Sendable, CustomStringConvertible {
  case commandLine
  case variable(String)
  /// A line of a configuration file.
  ///
  /// `isForAll`: At the top of the file, for every command that has the option.
  case file(path: String, line: Int, isForAll: Bool)
  case byDefault

  /// For example `IMGCACHE_TIMEOUT`, `/etc/imgcache.yaml:3`.
  var description: String {
    switch self {
    case .commandLine: "command line"
    case .variable(let name): name
    case .file(let path, let line, _): "\(path):\(line)"
    case .byDefault: "default"
    }
  }

  /// The members of its JSON: `source` is `option`, `variable`, `file` or `default`.
  var members: [(String, (any JSONValue)?)] {
    switch self {
    case .commandLine: [("source", "option")]
    case .variable(let name): [("source", "variable"), ("variable", name)]
    case .file(let path, let line, _): [("source", "file"), ("file", path), ("line", line)]
    case .byDefault: [("source", "default")]
    }
  }
}
