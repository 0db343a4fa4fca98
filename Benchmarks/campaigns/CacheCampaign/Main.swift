import Foundation

/// The process that campaigns start, kill and measure.
@main
struct Main {
  static func main() {
    let words = CommandLine.arguments.dropFirst()
    let arguments = Arguments(words.dropFirst())
    do {
      switch words.first {
      case "speed": try Speed(arguments).run()
      default:
        FileHandle.standardError.write(Data("usage: CacheCampaign speed [--option value]\n".utf8))
        exit(64)
      }
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(1)
    }
  }
}
