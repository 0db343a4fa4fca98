import ArgumentParser

struct ImgCache: AsyncParsableCommand {
  private static let usage = "imgcache <command> [<options>]"

  static let configuration = CommandConfiguration(
    commandName: "imgcache",
    abstract: "Fetches, caches and serves images.", usage: usage,
    discussion: .examples(
      """
      imgcache prefetch              the images of the latest day, to disk
      imgcache prefetch --sample     the same with the embedded sample, no network
      imgcache path URL              the file with the bytes of an image

      Completion of commands, options, files and the days of the cache is set up by \
      imgcache --generate-completion-script bash > ~/.local/share/bash-completion/completions/imgcache for bash, by \
      imgcache --generate-completion-script fish > ~/.config/fish/completions/imgcache.fish for fish, and by \
      imgcache --generate-completion-script zsh > DIR/_imgcache, with DIR a folder of $fpath, for zsh.
      """),
    version: Version.description,
    groupedSubcommands: [
      CommandGroup(
        name: "Fetching",
        subcommands: [PrefetchCommand.self, RefreshCommand.self, GetCommand.self]),
      CommandGroup(
        name: "Reading",
        subcommands: [
          PathCommand.self, ThumbCommand.self, InfoCommand.self, DecodeCommand.self,
          ShowCommand.self, SheetCommand.self,
        ]),
      CommandGroup(
        name: "Serving",
        subcommands: [ServeCommand.self, SignCommand.self, ProxyCommand.self, TierCommand.self]),
      CommandGroup(
        name: "Keeping",
        subcommands: [
          DaysCommand.self, LsCommand.self, StatsCommand.self, ExplainCommand.self, RmCommand.self,
          PinCommand.self,
          UnpinCommand.self, VerifyCommand.self, GcCommand.self,
        ]),
      CommandGroup(name: "Measuring", subcommands: [SimulateCommand.self]),
      CommandGroup(name: "Configuring", subcommands: [ConfigCommand.self]),
    ])

  static let _errorPrefix = "error: "

  @OptionGroup var version: VersionFlag

  mutating func run() throws { throw CleanExit.helpRequest(Self.self) }

  /// The page of `imgcache -h`: a line for each command would not fit on a screen.
  struct Summary: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "imgcache", abstract: ImgCache.configuration.abstract,
      usage: usage,
      discussion: ImgCache.configuration.groupedSubcommands.reduce(
        ImgCache.configuration.discussion + "\n"
      ) { text, group in
        let names = group.subcommands.map { $0._commandName }.joined(separator: ", ")
        return text + "\n\(group.name): \(names)"
      })
  }

  static func refusal(of arguments: [String]) -> String? {
    do {
      _ = try parseAsRoot(arguments)
      return nil
    } catch {
      return ValueSyntax.explained(message(for: error))
    }
  }
}

extension ImgCache {
  /// The command of a path such as `["tier", "check"]`; the program for an empty one.
  static func command(at path: [String]) -> any ParsableCommand.Type {
    path.reduce(self) { command, name in
      command.configuration.subcommands.first { $0._commandName == name } ?? command
    }
  }

  /// The names of the commands below another one, `help` included; empty if there are none.
  static func commandNames(at path: [String] = []) -> [String] {
    let names = command(at: path).configuration.subcommands.map { $0._commandName }
    return names.isEmpty ? [] : names + ["help"]
  }

  static func path(of words: some Sequence<String>) -> [String] {
    var path: [String] = []
    for word in words {
      guard commandNames(at: path).dropLast().contains(word) else { break }
      path.append(word)
    }
    return path
  }
}
