/// The calls of the completion scripts: `---completion COMMAND... -- OPTION INDEX CURSOR WORD...`.
enum CompletionCall {
  /// Adds the position of the cursor, the end of the word, if it is missing.
  ///
  /// `complete -C TEXT` of fish 3 completes a text that is not on its command line, where there is no
  /// cursor.
  static func repaired(_ arguments: [String]) -> [String] {
    guard arguments.first == "---completion", let end = arguments.firstIndex(of: "--"),
      end + 3 < arguments.count, let index = Int(arguments[end + 2]),
      Int(arguments[end + 3]) == nil
    else { return arguments }
    let words = arguments[(end + 3)...]
    let word = words.dropFirst(max(0, index)).first ?? ""
    return arguments[..<(end + 3)] + ["\(word == "''" ? 0 : word.count)"] + words
  }
}
