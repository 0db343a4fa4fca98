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
        complain("usage: CacheCampaign write|check|hammer|scale|s3|tier [--option value]")
        exit(64)
      }
    } catch {
      complain("error: \(error)")
      exit(1)
    }
  }
}
