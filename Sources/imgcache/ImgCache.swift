import ArgumentParser

@main
struct ImgCache: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "imgcache")
}
