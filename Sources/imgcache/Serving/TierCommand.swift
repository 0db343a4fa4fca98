import ArgumentParser
import ImageModel
import RedisClustering
import SharedCaching
import TextEncodings

struct TierCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "tier", abstract: "Checks the shared tier of several servers.",
    discussion: "imgcache tier check --tier redis://10.0.0.1:6379,10.0.0.2:6379",
    subcommands: [TierCheckCommand.self])

  mutating func run() throws { throw CleanExit.helpRequest(Self.self) }
}

struct TierCheckCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Checks whether the shared tier can be used, and lists problems.",
    usage: "imgcache tier check [<options>] --tier <url>",
    discussion: .examples(
      """
      imgcache tier check --tier redis://10.0.0.1:6379,10.0.0.2:6379
      imgcache tier check --tier 'redis://10.0.0.1:6379?user=images&password-file=redis.key'

      Reads the version, memory limit and eviction policy of every server; then writes, reads and purges a value of \
      20 kB under a reserved key, and checks that it is gone.

      Exit status: 0 the tier can be used, 2 it cannot.
      """))

  @OptionGroup var options: TierOptions
  @OptionGroup(visibility: .fullHelp) var buckets: BucketOptions
  @OptionGroup(visibility: .fullHelp) var trust: TrustOptions
  @OptionGroup(title: "Common", visibility: .fullHelp) var common: CommonOptions

  func run() async throws {
    guard let tier = try options.open(try buckets.buckets(), try trust.certificates()) else {
      throw ValidationError("Missing expected argument '--tier <url>'")
    }
    let check = await tier.check()
    await tier.shutDown()
    common.report.result(.tier, check.json, text: check.lines.joined(separator: "\n"))
    if !check.isUsable { throw ExitStatus.environment }
  }
}

extension TierCheck {
  private func role(of server: Server) -> String? {
    isCluster == nil ? nil : server.isMaster ? "master" : "replica"
  }

  fileprivate var json: JSONLine {
    [
      "usable": isUsable, "cluster": isCluster,
      "servers": servers.map {
        [
          "server": $0.endpoint.description, "role": role(of: $0),
          "version": $0.version, "maximum_memory": $0.maximumMemory,
          "eviction_policy": $0.evictionPolicy, "round_trip_us": $0.roundTrip.map(\.microseconds),
          "failure": $0.failure,
        ] as JSONLine
      }, "read_us": readTime.map(\.microseconds), "problems": problems, "warnings": warnings,
    ]
  }

  fileprivate var lines: [String] {
    var lines = servers.map { server in
      var words = [server.endpoint.description] + (role(of: server).map { [$0] } ?? [])
      if let failure = server.failure {
        words.append("failed: \(failure)")
      } else {
        let memory = server.maximumMemory.map {
          $0 == 0 ? "no limit of memory" : ByteQuantity($0).description
        }
        words += [
          server.version ?? "unknown version", server.roundTrip.map { "\($0.microseconds) us" },
          memory, server.evictionPolicy,
        ].compactMap(\.self)
      }
      return words.joined(separator: "  ")
    }
    lines += warnings.map { "warning: \($0)" }
    lines += problems.map { "problem: \($0)" }
    if isUsable {
      let time = readTime.map { ", a value of 20 kB is read in \($0.microseconds) us" } ?? ""
      let kind = isCluster == true ? "a cluster" : "one server"
      lines.append("usable: \(kind)\(time)")
    } else {
      lines.append("not usable")
    }
    return lines
  }
}

extension Duration {
  fileprivate var microseconds: Int {
    Int(components.seconds) * 1_000_000 + Int(components.attoseconds / 1_000_000_000_000)
  }
}
