import ArgumentParser

/// The short help: `-h` prints what fits on a screen of the help of ArgumentParser, `--help` all.
///
/// ArgumentParser leaves hidden options out of completions and of its errors as well. So they are
/// hidden only in a run that prints the short help.
enum ShortHelp {
  /// Whether the command line asks for it, or is empty.
  static let isAsked: Bool = {
    let words = CommandLine.arguments.dropFirst().prefix { $0 != "--" }
    return words.isEmpty || words.first != "help" && words.contains("-h")
  }()
}

extension ArgumentVisibility {
  /// Of options that only `--help` lists: those that commands share, and rare ones.
  static var fullHelp: ArgumentVisibility { ShortHelp.isAsked ? .hidden : .default }
}

extension ArgumentHelp {
  /// Help for an option whose value has a name, `--size <WxH>`; only `--help` adds `more`.
  static func value(_ name: String?, _ abstract: String, _ more: String = "") -> ArgumentHelp {
    ArgumentHelp(abstract, discussion: ShortHelp.isAsked ? "" : more, valueName: name)
  }

  static func text(_ abstract: String, _ more: String = "") -> ArgumentHelp {
    value(nil, abstract, more)
  }

  /// Help for what only `--help` lists.
  static func rare(_ name: String?, _ abstract: String, _ more: String = "") -> ArgumentHelp {
    ArgumentHelp(abstract, discussion: more, valueName: name, visibility: .fullHelp)
  }
}

extension String {
  /// The discussion of a command. `-h` prints its first paragraph, which has examples.
  static func examples(_ text: String) -> String {
    let end = ShortHelp.isAsked ? text.firstRange(of: "\n\n")?.lowerBound : nil
    return String(text[..<(end ?? text.endIndex)])
  }
}
