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
    subcommands: [
      PrefetchCommand.self, RefreshCommand.self, GetCommand.self, PathCommand.self,
      InfoCommand.self, DecodeCommand.self, LsCommand.self,
      StatsCommand.self, RmCommand.self, PinCommand.self, UnpinCommand.self,
    ])
}
