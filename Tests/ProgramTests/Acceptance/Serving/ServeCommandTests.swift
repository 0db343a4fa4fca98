import Foundation
import Testing

@testable import ImageFeeds
@testable import SampleFeed
@testable import TestSupport
@testable import ThumbnailServer

@Suite(.needsProgram) struct `imgcache serve` {
  static let picture = SampleImages.widePhoto

  private func origin() throws -> FaultyOrigin {
    try FaultyOrigin([
      "/a.jpg": [.whole(Self.picture, fields: ["Cache-Control: max-age=600"])]
    ])
  }

  private func target(_ origin: FaultyOrigin, _ rest: String = "w=40&h=30") -> String {
    "/thumb?url=\(QueryPairs.encoded(origin.url("/a.jpg")))&\(rest)"
  }

  private let open = ["--allow-host", "127.0.0.1", "--allow-private-network"]

  @Test func `it shares its directory with commands, and SIGTERM ends it with 0`() async throws {
    let origin = try origin()
    defer { origin.stop() }
    let program = try await ServeProgram(open)

    let cold = try await program.exchange("GET", target(origin))
    let hot = try await program.exchange("GET", target(origin))
    let path = try await Tool.run(
      ["path", origin.url("/a.jpg"), "--size", "40x30"], cache: program.scratch)

    #expect(try await program.stop() == 0)
    #expect(cold["cache-status"] == "imgcache; fwd=miss")
    #expect(hot["cache-status"] == "imgcache; hit; detail=memory")
    let file = path.output.trimmingCharacters(in: .newlines)
    #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) == cold.body)
  }

  @Test func `a prefetched day is served and refreshed, also of the sample`() async throws {
    let scratch = try Scratch()
    let fetched = try await Tool.run(["prefetch", "--sample", "--json"], cache: scratch)
    // The sample's days have different numbers of images, and the latest one is today's.
    let summary = try #require(fetched.objects().last)
    let images = try #require(summary["images"] as? Int)
    let newest = try #require((summary["days"] as? [String])?.first)
    let program = try await ServeProgram(["--sample"], scratch: scratch)

    let list = try await program.exchange("GET", "/days")
    let latest = try await program.exchange("GET", "/days/\(newest)")
    let begun = try await program.exchange("POST", "/days/\(newest)/refresh")
    let events = try await program.exchange("GET", "/days/\(newest)/events")
    let day = try latest.object()
    let links = latest.text.matches(of: /"(\/(?:thumb|image)\?[^"]*)"/).map { String($0.1) }
    var statuses: Set<Int> = []
    for link in Set(links) { statuses.insert(try await program.exchange("GET", link).status) }

    #expect(try await program.stop() == 0)
    #expect(fetched.status == 0 && (10...12).contains(images))
    #expect(list.text.contains("\"cached\":\(images),"))
    #expect(day["refreshed_at"] as? String != nil)
    #expect(links.count > 50 && statuses == [200])
    #expect(begun.status == 202 && events.text.contains("event: done\n"))
    #expect(events.text.contains("\"images\":\(images),"))
  }

  @Test func `a Unix socket in use is not replaced, one of a killed server is`() async throws {
    let scratch = try Scratch()
    let socket = scratch / "s"
    let listen = ["--listen", "unix:\(socket)"]
    func answer() async throws -> String {
      try await Tool(path: "curl").run([
        "-s", "--unix-socket", socket, "http://localhost/healthz", "-o", "/dev/null", "-w",
        "%{http_code}",
      ]).output
    }
    let killed = try await ServeProgram([], listening: listen)

    let second = try await Tool.run(["serve"] + listen, cache: scratch)
    let checked = try await Tool.run(["serve", "--check"] + listen, cache: scratch)
    #expect(second.status == 2 && checked.status == 2)
    #expect(
      second.errors == "error: cannot listen on unix:\(socket): Address already in use\n")
    #expect(checked.output.contains("wrong  address: cannot listen on unix:\(socket)"))
    #expect(try await answer() == "200")
    #expect(killed.line.contains("\"address\":\"unix:"))

    killed.child.signal(SIGKILL)
    _ = try await killed.child.end()
    #expect(scratch.has("s"))
    #expect(try await Tool.run(["serve", "--check"] + listen, cache: scratch).status == 0)
    let program = try await ServeProgram(["--socket-mode", "600"], listening: listen)
    let mode = try FileManager.default.attributesOfItem(atPath: socket)[.posixPermissions]
    #expect(try await answer() == "200")
    #expect(mode as? Int == 0o600)
    #expect(try await program.stop() == 0)
    #expect(!scratch.has("s"))
  }

  @Test func `a socket from systemd is used, and readiness is reported`() async throws {
    let scratch = try Scratch()
    // Like systemd, in Python: a listening socket at descriptor 3, and LISTEN_PID of the
    // program itself.
    let script = """
      import os, signal, socket, sys
      listener = socket.create_server(("127.0.0.1", 0))
      print(listener.getsockname()[1], flush=True)
      notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
      notify.bind(sys.argv[1])
      notify.settimeout(60)
      child = os.fork()
      if child == 0:
          os.dup2(listener.fileno(), 3)
          os.set_inheritable(3, True)
          os.environ.update(LISTEN_PID=str(os.getpid()), LISTEN_FDS="1", NOTIFY_SOCKET=sys.argv[1])
          os.execv(sys.argv[2], sys.argv[2:])
      print(notify.recv(100).decode(), flush=True)
      for host in [b"localhost", b"evil.example"]:
          with socket.create_connection(listener.getsockname()) as client:
              client.sendall(b"GET /readyz HTTP/1.1\\r\\nHost: " + host + b"\\r\\nConnection: close\\r\\n\\r\\n")
              answer = b""
              while chunk := client.recv(4096):
                  answer += chunk
          print(answer.split(b"\\r\\n")[0].decode(), flush=True)
      os.kill(child, signal.SIGTERM)
      print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
      """
    let outcome = try await Tool(path: "python3").run([
      "-c", script, scratch / "notify", Tool.imgcache.path, "serve", "--quiet", "--cache-dir",
      scratch / "cache", "--listen", "127.0.0.1:1",
    ])

    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(
      lines.suffix(4)
        == ["READY=1", "HTTP/1.1 200 OK", "HTTP/1.1 421 Misdirected Request", "0"], "\(outcome)")
  }

  @Test func `URLs signed with the server's key file are accepted`() async throws {
    let origin = try origin()
    defer { origin.stop() }
    let scratch = try Scratch()
    let keys = [
      "--sign-key-file", try scratch.write("k1:one secret\nk0:an older one\n", to: "keys"),
    ]
    let program = try await ServeProgram(open + keys, scratch: scratch)

    let unsigned = try await program.exchange("GET", target(origin))
    let signed = try await Tool.imgcache.run(
      ["sign", program.url(target(origin)), "--expires", "1h"] + keys)
    let old = try await Tool.imgcache.run(["sign", target(origin), "--kid", "k0", "--json"] + keys)
    let line = signed.output.trimmingCharacters(in: .newlines)
    let first = try await program.exchange("GET", String(line.dropFirst(program.url("").count)))
    let second = try await program.exchange(
      "GET", try #require(old.objects().first?["signed"] as? String))
    let wrong = try await Tool.imgcache.run(["sign", "/thumb?a=1&a=2"] + keys)
    _ = try await program.stop()

    #expect(unsigned.status == 403)
    #expect(first.status == 200 && second.status == 200)
    #expect(wrong.status == 64)
  }

  @Test func `the unit's own check passes while its socket is open`() async throws {
    let scratch = try Scratch()
    let folder = SharedFixtures.packageRoot.appending(path: "Distribution").path
    // Holds the address, as systemd does before it starts the service; not passed to ExecStartPre.
    let holder = try FaultyOrigin()
    defer { holder.stop() }
    let shipped = try String(contentsOfFile: folder + "/imgcache.yaml", encoding: .utf8)
    let config = try scratch.write(
      shipped.replacing("127.0.0.1:8780", with: "127.0.0.1:\(holder.port)"), to: "imgcache.yaml")
    let unit = try String(contentsOfFile: folder + "/imgcache.service", encoding: .utf8)

    // As systemd expands it, with this machine's names in place of the system's.
    let names = [
      "/usr/bin/imgcache": Tool.imgcache.path, "/etc/imgcache.yaml": config,
      "${CACHE_DIRECTORY}": scratch / "cache", "%H": "machine",
    ]
    let line = try #require(unit.split(separator: "\n").first { $0.hasPrefix("ExecStartPre=") })
    let check = line.split(separator: "=", maxSplits: 1)[1].split(separator: " ")
      .map { names[String($0)] ?? String($0) }
    let checked = try await Tool(path: check[0]).run(Array(check.dropFirst()))

    #expect(shipped.contains("127.0.0.1:8780") && check.contains("--check"))
    #expect(checked.status == 0, "\(checked)")
  }

  @Test(.enabled(if: hasSystemd, "needs systemd-analyze"))
  func `systemd accepts the units`() async throws {
    let scratch = try Scratch()
    let folder = SharedFixtures.packageRoot.appending(path: "Distribution").path
    let names = ["imgcache.service", "imgcache.socket"]
    for name in names {
      let unit = try String(contentsOfFile: folder + "/" + name, encoding: .utf8)
      try scratch.write(unit.replacing("/usr/bin/imgcache", with: Tool.imgcache.path), to: name)
    }

    let outcome = try await Tool(path: "systemd-analyze").run(
      ["verify", "--man=no"] + names.map { scratch / $0 })

    #expect(outcome.status == 0)
    #expect(!(outcome.output + outcome.errors).contains("imgcache."), "\(outcome)")
  }

  private static let hasSystemd = FileManager.default.isExecutableFile(
    atPath: "/usr/bin/systemd-analyze")

  @Test func `options can be in a file, and the default file is valid`() async throws {
    let scratch = try Scratch()
    let shipped = SharedFixtures.packageRoot.appending(path: "Distribution/imgcache.yaml").path
    let text = try String(contentsOfFile: shipped, encoding: .utf8)
    // Every commented-out example value, enabled where it needs no other resource.
    let enabled = [
      "allow-private-network", "offline", "path-prefix", "preset", "presets-only", "round-size",
      "stale-while-revalidate", "stale-if-error", "max-concurrency", "allow-size",
    ]
    let whole = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      enabled.contains { line.hasPrefix("  # \($0):") } ? "  " + line.dropFirst(4) : line
    }.joined(separator: "\n").replacingOccurrences(of: "  #   - card=", with: "    - card=")
      .replacingOccurrences(of: "  #   - avatar=", with: "    - avatar=")
      .replacingOccurrences(of: "allow-size: [", with: "allow-size: [96x96, 300x200, ")
    try scratch.write(whole, to: "whole.yaml")
    let check = ["serve", "--check", "--listen", "127.0.0.1:0"]

    let plain = try await Tool.run(check + ["--config", shipped], cache: scratch)
    let lines = try await Tool.run(check + ["--json"], cache: scratch)
    let all = try await Tool.run(check + ["--config", scratch / "whole.yaml"], cache: scratch)

    #expect(plain.status == 0, "\(plain)")
    #expect(all.status == 0, "\(all)")
    #expect(
      try lines.objects().map { "\($0["what"] ?? "") \($0["status"] ?? "")" }
        == [
          "hosts ok", "keys ok", "admin keys ok", "thumbnails ok", "cache ok", "server names ok",
          "connections ok", "address ok",
        ])
    #expect(all.output.contains("2 presets"))
    #expect(whole.contains("\n  presets-only: true"))
  }

  @Test func `serve --check reports what a start would fail on`() async throws {
    let scratch = try Scratch()
    let keys = try scratch.write("# made by a script\nk1:\n", to: "keys")
    let notes = try scratch.write("my notes\n", to: "notes")
    for (arguments, status, line) in [
      (["--allow-host", "a／b.example"], 64, "wrong  hosts: --allow-host: 'a／b.example'"),
      (["--server-name", "a/b"], 64, "wrong  server names: --server-name: 'a/b'"),
      (["--access-log", "/proc/nothing"], 2, "wrong  access log: cannot write /proc/nothing"),
      (["--record-trace", "/nonexistent/t"], 2, "wrong  trace: cannot write /nonexistent/t"),
      (["--record-trace", notes], 64, "is not a cache trace"),
      (["--sign-key-file", keys], 64, "wrong  keys: line 2 of the key file"),
      (["--preset", "a=fit=bad&w=1"], 64, "wrong  thumbnails"),
      (["--preset", "a=w=1", "--preset", "a=w=2"], 64, "--preset names a twice"),
      (["--listen", "nohost.invalid:80"], 2, "nohost.invalid:80: no address of nohost.invalid"),
      (["--placeholder", "/etc/hostname"], 64, "wrong  placeholder"),
      (["--listen", "unix:/nonexistent/x.sock"], 2, "wrong  address"),
      (["--listen", "192.0.2.1:80"], 2, "wrong  address"),
    ] {
      let listen = arguments.contains("--listen") ? [] : ["--listen", "127.0.0.1:0"]

      let outcome = try await Tool.run(["serve", "--check"] + listen + arguments, cache: scratch)

      #expect(outcome.status == Int32(status), "\(outcome)")
      #expect(outcome.output.contains(line), "\(outcome.output)")
    }
    let cache = try await Tool.imgcache.run(
      ["serve", "--check", "--listen", "127.0.0.1:0", "--cache-dir", "/proc/nothing"])
    #expect(cache.status == 2 && cache.output.contains("wrong  cache"))
  }

  @Test(arguments: [["serve"], ["proxy", "--memory", "--origin", "http://a.invalid"]])
  func `an address in use exits with 2`(command: [String]) async throws {
    let holder = try FaultyOrigin()
    defer { holder.stop() }
    let address = "127.0.0.1:\(holder.port)"

    let taken = try await Tool.run(command + ["--listen", address], cache: try Scratch())

    #expect(taken.status == 2)
    #expect(taken.errors == "error: cannot listen on \(address): Address already in use\n")
  }

  /// The effect of a SIGTERM on a running refresh.
  enum RefreshEnd: CaseIterable {
    case finishes, takesTooLong, secondSignal
  }

  @Test(arguments: RefreshEnd.allCases)
  func `SIGTERM waits for a refresh as for a request, a second one does not`(
    end: RefreshEnd
  ) async throws {
    let gate = Gate()
    let origin = try FaultyOrigin([
      "/a.jpg": [
        .whole(Self.picture),
        .held(FaultyOrigin.head(length: Self.picture.count), gate, Self.picture),
      ]
    ])
    defer { origin.stop() }
    let scratch = try Scratch()
    let list = try scratch.write(origin.url("/a.jpg") + "\n", to: "list.txt")
    let fetched = try await Tool.run(
      ["prefetch", "--feed", list, "--allow-private-network", "--quiet"], cache: scratch)
    let program = try await ServeProgram(
      // A busy machine must not bring the held response to the limits of time.
      [
        "--allow-private-network", "--timeout", "600s", "--max-time", "600s", "--drain-time",
        end == .takesTooLong ? "200ms" : "600s",
      ], scratch: scratch)
    let begun = try await program.exchange("POST", "/days/latest/refresh")
    await Condition.until { origin.requests.count == 2 }
    let watcher = try RawClient(port: program.port)
    watcher.send("GET /days/latest/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
    _ = try await OffPool.run { watcher.read(until: "event: progress") }

    program.child.signal(SIGTERM)
    if end != .takesTooLong {
      await Condition.until { (try? RawClient(port: program.port)) == nil }
    }
    if end == .finishes { gate.open() }
    if end == .secondSignal { program.child.signal(SIGTERM) }
    let rest = try await OffPool.run { watcher.readToEnd() }
    let status = try await program.child.end()

    #expect(fetched.status == 0)
    #expect(begun.status == 202)
    #expect(status == (end == .finishes ? 0 : 143))
    #expect(rest.contains("event: done\n") == (end == .finishes))
    #expect(rest.contains("\"code\":\"stopped\"") == (end == .takesTooLong))
    gate.open()
  }

  @Test func `responses are logged, and kill -9 loses no answered response`() async throws {
    let origin = try origin()
    let scratch = try Scratch()
    let first = try await ServeProgram(open + ["--access-log", scratch / "log"], scratch: scratch)
    let body = try await first.exchange("GET", target(origin)).body
    await Condition.until { (try? scratch.text(of: "log"))?.contains("200") == true }
    first.child.signal(SIGKILL)
    _ = try await first.child.end()

    let second = try await ServeProgram(["--offline"], scratch: scratch)
    let again = try await second.exchange("GET", target(origin))
    _ = try await second.stop()

    #expect(try scratch.text(of: "log").contains("\"GET /thumb?url="))
    #expect(again.status == 200)
    #expect(again.body == body)
    #expect(again["cache-status"] == "imgcache; hit; detail=disk")
    #expect(origin.requests.count == 1)
  }

  @Test func `a trace has a line for each image, memory hits included`() async throws {
    let origin = try ListOrigin(count: 1)
    defer { origin.stop() }
    let scratch = try Scratch()
    _ = try await Tool.prefetch(scratch, ["--feed", origin.feed])
    let program = try await ServeProgram(
      ["--offline", "--record-trace", scratch / "trace.csv"], scratch: scratch)
    let url = origin.urls[0]

    for _ in 0..<3 { _ = try await program.exchange("GET", "/thumb?url=\(url)&w=4&format=png") }
    let original = try await program.exchange("GET", "/image?url=\(url)")
    _ = try await program.exchange("GET", "/image?url=\(url)x")
    #expect(try await program.stop() == 0)

    let keys = try scratch.text(of: "trace.csv").split(separator: "\n")
      .map { $0.split(separator: ",").dropFirst() }
    #expect(keys.count == 5)
    #expect(keys[0].first?.hasPrefix("\(url)#thumb") == true)
    #expect(keys[0] == keys[1] && keys[1] == keys[2])
    #expect(Array(keys[3]) == [url[...], "\(original.body.count)"])
    #expect(Array(keys[4]) == ["\(url)x", "0"])
  }
}
