import Foundation
import Testing
@testable import TestSupport

/// A shell that completes command lines of the program.
enum CompletingShell: String {
  case bash, fish, zsh

  /// `nil` if it is not installed.
  var path: String? {
    ["/bin/", "/usr/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"].map { $0 + rawValue }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Prints what it offers for the text `$2`, with the completion script `$1`.
  private var program: String {
    switch self {
    case .bash:
      // The words are split as readline does it.
      """
      source "$1"
      read -ra COMP_WORDS <<< "$(sed 's/[=:]/ & /g' <<< "$2")"
      [[ $2 == *' ' ]] && COMP_WORDS+=('')
      word=${COMP_WORDS[-1]}
      COMP_LINE=$2 COMP_POINT=${#2} COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      "$(complete -p imgcache | sed 's/.*-F \\([^ ]*\\).*/\\1/')" \
        imgcache "${word#=}" "${COMP_WORDS[COMP_CWORD-1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    case .fish:
      // The text is not on a command line, where fish 3 would have its cursor.
      """
      source $argv[1]
      function commandline
        if contains -- -tC $argv
          string length -- (builtin commandline -t)
        else
          builtin commandline $argv
        end
      end
      complete -C $argv[2]
      """
    case .zsh:
      // The editor of zsh needs a terminal. An inner zsh completes the text and ends; what would
      // keep it from that does not keep the outer one.
      """
      export SCRIPT=$1 TEXT=$2 ZDOTDIR=$HOME OFFERS=$HOME/offers
      print -r -- $SETUP > $HOME/.zshrc
      : > $OFFERS
      zmodload zsh/zpty zsh/zselect
      zpty inner 'exec zsh -d -i'
      for ((n = 0; n < 600; n++)); do
        zpty -t inner || break
        zpty -r -t inner output || zselect -t 5
      done
      zpty -d inner
      cat $OFFERS
      """
    }
  }

  /// What the inner zsh does: it prints the matches that the completion adds.
  private static let setup = """
    autoload -Uz compinit
    compinit -D -u
    source $SCRIPT
    compadd() {
      local -a matches
      builtin compadd -O matches "$@"
      print -rl -- $matches >> $OFFERS
      builtin compadd "$@"
    }
    zle -C offers list-choices _main_complete
    zle-line-init() {
      BUFFER=$TEXT CURSOR=$#TEXT
      zle offers
      exit
    }
    zle -N zle-line-init
    """

  func offers(for text: String, script: String, in scratch: Scratch) async throws -> String {
    var tool = Tool(path: try #require(path))
    tool.environment = [
      "IMGCACHE_DIR": scratch / "cache", "HOME": scratch.path, "TERM": "xterm",
      "PATH": Tool.buildFolder + ":" + (ProcessInfo.processInfo.environment["PATH"] ?? ""),
      "SETUP": Self.setup,
    ]
    let file = scratch / "complete.\(rawValue)"
    try Data(program.utf8).write(to: URL(fileURLWithPath: file))
    let options: [String] =
      switch self {
      case .bash: ["--norc", file]
      case .fish: ["--no-config", "-i", file]
      case .zsh: ["-f", file]
      }
    return try await tool.run(options + [script, text], in: scratch.path).output
  }
}
