import ArgumentParser

/// The root command, which only names the sub-commands.
struct ImgCache: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "imgcache",
    abstract: "Fetches, caches and serves images.",
    discussion: """
      imgcache prefetch              the images of the latest day of Zhihu Daily, to disk
      imgcache prefetch --sample     the same with the embedded sample, no network
      imgcache path URL              the file with the bytes of an image

      imgcache COMMAND -h lists the options of a command; imgcache COMMAND --help describes them.

      Completion of commands, options, files and the days of the cache is set up by
      imgcache --generate-completion-script bash > ~/.local/share/bash-completion/completions/imgcache for bash, by
      imgcache --generate-completion-script fish > ~/.config/fish/completions/imgcache.fish for fish, and by
      imgcache --generate-completion-script zsh > DIR/_imgcache, with DIR a folder of $fpath, for zsh.
      """,
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
        subcommands: [
          ServeCommand.self, SignCommand.self, ProxyCommand.self, TierCommand.self,
        ]),
      CommandGroup(
        name: "Keeping the cache",
        subcommands: [
          LsCommand.self, StatsCommand.self, ExplainCommand.self, RmCommand.self, PinCommand.self,
          UnpinCommand.self, VerifyCommand.self, GcCommand.self,
        ]),
      CommandGroup(name: "Measuring", subcommands: [SimulateCommand.self]),
      CommandGroup(name: "Configuring", subcommands: [ConfigCommand.self]),
    ])

  static let _errorPrefix = "error: "

  @OptionGroup var version: VersionFlag

  mutating func run() throws { throw CleanExit.helpRequest(Self.self) }

  static func refusal(of arguments: [String]) -> String? {
    do {
      _ = try parseAsRoot(arguments)
      return nil
    } catch {
      return ValueSyntax.explained(message(for: error))
    }
  }
}
