/// The calls of the completion scripts: `---completion COMMAND... -- OPTION INDEX CURSOR WORD...`.
enum CompletionCall {
  /// Adds the position of the cursor, the end of the word, if it is missing, and splits
  /// `--option=VALUE` into two words.
  ///
  /// `complete -C TEXT` of fish 3 completes a text that is not on its command line, where there is no
  /// cursor.
  static func repaired(_ arguments: [String]) -> [String] {
    guard arguments.first == "---completion", let end = arguments.firstIndex(of: "--"),
      end + 3 < arguments.count, var index = Int(arguments[end + 2]), index >= 0
    else { return arguments }
    let option = arguments[end + 1]
    var words = Array(arguments[(end + 3)...])
    var cursor = Int(words[0])
    if cursor != nil { words.removeFirst() }
    let word = words.dropFirst(index).first ?? ""
    cursor = cursor ?? (word == "''" ? 0 : word.count)
    if option.hasPrefix("--"), word.hasPrefix(option + "=") {
      words[index] = option
      index += 1
      words.insert(String(word.dropFirst(option.count + 1)), at: index)
      cursor = cursor.map { max(0, $0 - option.count - 1) }
    }
    return arguments[..<(end + 2)] + ["\(index)", "\(cursor ?? 0)"] + words
  }
}
