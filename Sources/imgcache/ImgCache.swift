import ArgumentParser

/// The root command: names the sub-commands, does nothing itself.
struct ImgCache: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "imgcache",
    abstract: "Fetches, keeps and hands out images.",
    discussion: """
      imgcache prefetch              today's images of Zhihu Daily, to disk
      imgcache prefetch --sample     the same with the embedded sample, no network
      imgcache path URL              where the bytes of a picture lie
      """,
    version: Version.text,
    subcommands: [],
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
        name: "Serving", subcommands: [ServeCommand.self, SignCommand.self, ProxyCommand.self]),
      CommandGroup(
        name: "Keeping the cache",
        subcommands: [
          LsCommand.self, StatsCommand.self, ExplainCommand.self, RmCommand.self, PinCommand.self,
          UnpinCommand.self, VerifyCommand.self, GcCommand.self,
        ]),
      CommandGroup(name: "Measuring", subcommands: [SimulateCommand.self]),
    ])
}
