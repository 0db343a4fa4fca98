import ArgumentParser
import DiskCaching
import HTTPListening
import ImageFetching
import ImageModel
import ImagePipeline
import RedisClustering
import SharedCaching
import TextEncodings
import ThumbnailServer

struct ServeCheck {
  let command: ServeCommand

  /// Writes each result to stdout; ends with the status that the start would end with.
  func run() async throws {
    var status: ExitCode?
    func attempt(
      _ what: String, if isAsked: Bool = true, _ body: () async throws -> String
    ) async {
      guard isAsked else { return }
      let (isFine, text): (Bool, String)
      do {
        (isFine, text) = (true, try await body())
      } catch let error as ImageError {
        status = status ?? ExitStatus.forError(error)
        (isFine, text) = (false, error.message.namingOptions)
      } catch {
        status = status ?? ExitStatus.environment
        (isFine, text) = (false, "\(error)")
      }
      command.cached.report.result(
        .check, ["what": what, "status": isFine ? "ok" : "wrong", "detail": text],
        text: "\(isFine ? "ok     " : "wrong  ")\(what): \(text)")
    }

    await attempt("hosts") {
      let hosts = try command.serve.allowedHosts()
      return hosts.isEmpty
        ? "none; only the images of days in the cache are fetched"
        : command.serve.allowHost.joined(separator: " ")
    }
    await attempt("keys") {
      let keys = try command.serve.signingKeys()
      return keys.isEmpty ? "none; signatures are not required" : "\(keys.count)"
    }
    await attempt("admin keys") {
      try command.operation.adminKeys().map { "\($0.count)" }
        ?? "none; purging over HTTP is disabled"
    }
    await attempt("origin headers", if: !command.network.origins.originHeader.isEmpty) {
      "\(try command.network.origins.headers())"
    }
    await attempt("certificates", if: command.network.trust.caFile != nil) {
      "\(try command.network.trust.certificates().additional.count) bytes besides the system's"
    }
    await attempt("s3 buckets", if: !command.network.buckets.s3.isEmpty) {
      try command.network.buckets.buckets().map(\.description).joined(separator: ", ")
    }
    await attempt("directories", if: !command.serve.root.isEmpty) {
      try command.serve.checkRoots()
      return command.serve.root.joined(separator: " ")
    }
    await attempt("shared tier", if: command.tier.tier != nil || command.tier.tier2 != nil) {
      let tier = try command.tier.configuration(
        try command.network.buckets.buckets(), try command.network.trust.certificates())
      let servers = tier?.servers.servers.map(\.description).joined(separator: ", ") ?? "none"
      return "\(servers) (not connected to: see imgcache tier check)"
    }
    await attempt("thumbnails") {
      let rules = try command.serve.rules()
      let sizes = rules.allowedSizes.map { "\($0.count) sizes" }
      let any = "any size up to \(rules.maximumSide) pixels a side"
      let free = rules.presetsOnly ? nil : sizes ?? any
      let presets = rules.presets.isEmpty ? nil : "\(rules.presets.count) presets"
      return [presets, free].compactMap(\.self).joined(separator: ", ")
    }
    await attempt("placeholder", if: command.serve.placeholder != nil) {
      "\(try command.serve.placeholderBytes()?.count ?? 0) bytes"
    }
    await attempt("cache") {
      let cache = try command.cached.openCache(access: .createOrRead)
      let count = await cache.statistics().entryCount
      await cache.close()
      return "\(count) entries in \(command.cached.common.cacheDirectory)"
    }
    if let log = command.operation.accessLog, log != "-" {
      await attempt("access log") {
        try OutputFile.checkAppending(to: log)
        return log
      }
    }
    if let trace = command.serve.recordTrace {
      await attempt("trace") {
        try OutputFile.checkAppending(to: trace)
        try CacheTraceRecorder.check(path: trace)
        return trace
      }
    }
    await attempt("trusted proxies", if: !command.operation.trustedProxy.isEmpty) {
      _ = try TrustedProxies(command.operation.trustedProxy)
      return command.operation.trustedProxy.joined(separator: " ")
    }
    await attempt("server names") {
      let names = command.connections.serverName
      _ = try command.connections.serverNames()
      return (["localhost"] + names).joined(separator: " ")
    }
    await attempt("connections") {
      let files = try command.connections.raisedOpenFileLimit()
      let shortage = command.connections.shortage(files)
      if let shortage, command.connections.maxConnections != nil {
        throw ImageError(.cannotListen, shortage)
      }
      return shortage ?? "\(command.connections.limits(files).maximumConnections) at most"
    }
    // Without descriptors for an event loop no address can be tried.
    if let status, (try? command.connections.raisedOpenFileLimit()) == nil { throw status }
    let operators = command.operation.adminListen.map(\.target)
    for target in command.targets + operators {
      await attempt("address") {
        try await target.probe()
        return "\(target)"
      }
    }
    if let status { throw status }
  }
}
