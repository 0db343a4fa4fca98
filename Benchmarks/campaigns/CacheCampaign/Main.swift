import Foundation

/// The process that campaigns start, kill and measure.
@main
struct Main {
  static func main() async {
    let words = CommandLine.arguments.dropFirst()
    let arguments = Arguments(words.dropFirst())
    do {
      switch words.first {
      case "write": try Writer(arguments: arguments).run()
      case "check": try Checker(arguments: arguments).run()
      case "hammer": try Hammer(arguments: arguments).run()
      case "scale": try Scale(arguments: arguments).run()
      case "tier": try await Tier(arguments: arguments).run()
      case "s3": try await Objects(arguments: arguments).run()
      default:
        FileHandle.standardError.write(
          Data("usage: CacheCampaign write|check|hammer|scale|s3|tier [--option value]\n".utf8))
        exit(64)
      }
    } catch {
      FileHandle.standardError.write(Data("error: \(error)\n".utf8))
      exit(1)
    }
  }
}
