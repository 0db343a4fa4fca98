import ArgumentParser
import HTTPListening
import ImagePipeline
import ThumbnailServer

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `imgcache serve --check`: everything that a start would stumble over, told at once.
struct ServeCheck {
  private let command: ServeCommand

  init(_ command: ServeCommand) { self.command = command }

  /// Tells each finding on stdout; ends with the status that the start would have ended with.
  func run() async throws {
    var status: ExitCode?
    func attempt(_ what: String, _ body: () async throws -> String) async {
      do {
        let text = try await body()
        tell(what, isFine: true, text)
      } catch let error as ImageError {
        status = status ?? ExitStatus.forError(error)
        tell(what, isFine: false, error.message.namingOptions)
      } catch {
        status = status ?? ExitStatus.environment
        tell(what, isFine: false, "\(error)")
      }
    }

    await attempt("hosts") {
      let hosts = try HostAllowList(command.serve.allowHosts)
      return hosts.isEmpty
        ? "none named: only the images of days in the cache are fetched"
        : command.serve.allowHosts.joined(separator: " ")
    }
    await attempt("keys") {
      let keys = try command.serve.signingKeys()
      return keys.isEmpty ? "none: nothing has to be signed" : "\(keys.count)"
    }
    await attempt("thumbnails") {
      let rules = try command.serve.rules()
      let sizes = rules.allowedSizes.map { "\($0.count) sizes" }
      let free = rules.presetsOnly ? nil : sizes ?? "free sizes up to \(rules.maximumSide)"
      let presets = rules.presets.isEmpty ? nil : "\(rules.presets.count) presets"
      return [presets, free].compactMap(\.self).joined(separator: ", ")
    }
    if let path = command.serve.placeholder {
      await attempt("placeholder") {
        "\(try ServePlaceholder.read(path).count) bytes"
      }
    }
    await attempt("cache") {
      let cache = try Session.openCache(
        command.cache, common: command.common, access: .createOrRead)
      defer { cache.close() }
      let statistics = cache.statistics()
      return "\(statistics.entryCount) entries in \(command.common.resolvedCacheDirectory)"
    }
    await attempt("server names") {
      let names = command.connections.serverNames
      _ = try HostAllowList(names)
      return (["localhost"] + names).joined(separator: " ")
    }
    await attempt("connections") {
      let files = try command.connections.raisedOpenFileLimit()
      let shortage = command.connections.shortage(files)
      if let shortage, command.connections.maximumConnections != nil {
        throw ImageError(.cannotListen, shortage)
      }
      return shortage ?? "\(command.connections.limits(files).maximumConnections) at most"
    }
    // Without descriptors for an event loop no address can be tried.
    if let status, (try? command.connections.raisedOpenFileLimit()) == nil { throw status }
    for target in command.targets(ProcessInfo.processInfo.environment) {
      await attempt("address") {
        try await target.probe()
        return "\(target)"
      }
    }
    if let status { throw status }
  }

  private func tell(_ what: String, isFine: Bool, _ text: String) {
    let report = command.common.report
    if report.json {
      report.object([
        "event": "check", "what": what, "status": isFine ? "ok" : "wrong", "detail": text,
      ])
    } else {
      report.line("\(isFine ? "ok     " : "wrong  ")\(what): \(text)")
    }
  }
}
