/// The completion script of a shell: that of ArgumentParser, with what it lacks.
///
/// It has no commands after `help`, and no values after `--option=` in bash and zsh.
enum CompletionScript {
  /// Adds what is missing to a script; any other text stays.
  static func completed(_ text: String) -> String {
    if text.hasPrefix("#!/bin/bash") { return bash(text) }
    if text.hasPrefix("#compdef") { return zsh(text) }
    if text.hasPrefix("function __imgcache") { return fish(text) }
    return text
  }

  /// The commands that `help` describes, by the words before: `["": ["prefetch", …], "tier": …]`.
  private static var helpTopics: [(path: String, names: String)] {
    let groups = [[]] + ImgCache.commandNames().map { [$0] }
    return groups.compactMap { path in
      let names = ImgCache.commandNames(at: path).filter { $0 != "help" }
      guard !names.isEmpty, path != ["help"] else { return nil }
      return (path.joined(separator: " "), names.joined(separator: " "))
    }
  }

  private static func helpCases(_ body: (String) -> String) -> String {
    helpTopics.map { "    '\($0.path)') \(body($0.names)) ;;" }.joined(separator: "\n")
  }

  // MARK: Shells

  /// Bash splits words at `=` and `:`. The generated function gets them whole, and `--option=VALUE`
  /// as two words; only what follows the last `=` or `:` is replaced by bash.
  private static func bash(_ text: String) -> String {
    let registration = "complete -o filenames -F "
    let end = text.firstRange(of: registration)?.lowerBound ?? text.endIndex
    return text[..<end] + """
      _imgcache_help() {
          local before="${unparsed_words[*]}"
          before="${before%"${cur}"}"
          case "${before% }" in
      \(helpCases { "COMPREPLY=($(compgen -W '\($0)' -- \"${cur}\"))" })
          esac
      }

      _imgcache_whole_words() {
          local line="${COMP_LINE:0:COMP_POINT}" word whole head=''
          local -a words=()
          local -i i last=-1
          for ((i = 0; i < COMP_CWORD; i++)); do
              word="${COMP_WORDS[i]}"
              if [[ -n ${line} && ${line} != [[:space:]]* && last -ge 0 ]]; then
                  words[last]+="${word}"
              else
                  words[++last]="${word}"
                  line="${line#"${line%%[![:space:]]*}"}"
              fi
              line="${line#"${word}"}"
          done
          if [[ -n ${line} && ${line} != [[:space:]]* ]]; then
              words[last]+="${line}"
          else
              words[++last]="${line#"${line%%[![:space:]]*}"}"
          fi
          whole="${words[last]}"
          if [[ ${whole} == --*=* ]]; then
              head="${whole%%=*}="
              words[last]="${head%=}"
              words[++last]="${whole#*=}"
          fi
          local -a COMP_WORDS=("${words[@]}")
          local -i COMP_CWORD=last
          local COMP_LINE="${words[*]}"
          local -i COMP_POINT=${#COMP_LINE}
          _imgcache "${1}" "${words[last]}" "${words[last - 1]}"
          COMPREPLY=("${COMPREPLY[@]/#/"${head}"}")
          COMPREPLY=("${COMPREPLY[@]#"${whole%"${2}"}"}")
      }

      \(registration)_imgcache_whole_words imgcache
      """
  }

  private static func zsh(_ text: String) -> String {
    // `--fit[…` takes its value from the next word alone, `--fit=[…` also from its own.
    var text = text.replacing(/(?m)^( *'\*?--[a-z0-9-]+)(\[.*\]:)/) { "\($0.1)=\($0.2)" }
    text.replace(/(?m)\{(-[a-z0-9],)?(--[a-z0-9-]+)(,-[a-z0-9])?\}('\[.*\]:)/) {
      "{\($0.1 ?? "")\($0.2)=\($0.3 ?? "")}\($0.4)"
    }
    let end = text.firstRange(of: "if [[ \"${funcstack[1]}\"")?.lowerBound ?? text.endIndex
    return text[..<end] + """
      _imgcache_help() {
          local -a names
          case "${(j: :)words[2,CURRENT-1]}" in
      \(helpCases { "names=(\($0))" })
          esac
          compadd -a names
      }

      """ + text[end...]
  }

  private static func fish(_ text: String) -> String {
    let topics = helpTopics.map { topic in
      let words = "imgcache help" + (topic.path.isEmpty ? "" : " " + topic.path)
      return """
        complete -c imgcache -n 'test (string join " " -- (__imgcache_tokens -pc)) = "\(words)"' \
        -fa '\(topic.names)'
        """
    }
    return text.replacing(
      "set -l token (commandline -t)",
      with: "set -l token (string replace -r -- '^--[^=]*=' '' (commandline -t))")
      + "\n" + topics.joined(separator: "\n")
  }
}
