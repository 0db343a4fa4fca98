import Foundation
import Testing

@testable import ImageFeeds
@testable import ImageModel
@testable import LoadScheduling

/// Chromium without a window, driven by its DevTools protocol over a pipe: messages of JSON, each
/// ended by a zero byte. Source: https://chromedevtools.github.io/devtools-protocol/.
///
/// It ends when its pipe closes, so with this process at the latest, and takes its profile with it.
final class Browser: Sendable {
  /// What the browser told without being asked.
  struct Event: Sendable {
    let method: String
    let parameters: ParsedJSON
    let session: String?
  }

  private struct State {
    var nextID = 1
    var waiting: [Int: CheckedContinuation<ParsedJSON, any Error>] = [:]
    var events: [Event] = []
    var hasEnded = false
  }

  private let state = Locked(State())
  /// Locked, as a pipe takes long messages in pieces: two at once would be torn, and never be
  /// answered.
  private let commands: Locked<FileHandle>
  private let process: ChildProcess
  private let folder: Scratch

  /// `IMGCACHE_BROWSER=none` says that there is none here and none is wanted; another value is its
  /// path. Without it the tests look for one, and fail where there is none:
  /// `scripts/install-dependencies --for-tests` installs it.
  static var isWanted: Bool { ProcessInfo.processInfo.environment["IMGCACHE_BROWSER"] != "none" }

  /// One for all tests; each has a context of its own in it.
  static let shared = Result { try Browser() }

  private static func path() throws -> String {
    let named = ProcessInfo.processInfo.environment["IMGCACHE_BROWSER"].map { [$0] }
    let known = [
      "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome",
      "/Applications/Chromium.app/Contents/MacOS/Chromium",
      "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ]
    return try #require(
      (named ?? known).first { FileManager.default.isExecutableFile(atPath: $0) },
      "no Chromium here: scripts/install-dependencies --for-tests installs it, IMGCACHE_BROWSER names one, =none does without"
    )
  }

  init() throws {
    folder = try Scratch()
    try #require(mkfifo(folder / "in", 0o600) == 0 && mkfifo(folder / "out", 0o600) == 0)
    var arguments = [
      "--headless", "--remote-debugging-pipe", "--user-data-dir=\(folder / "profile")",
      "--no-first-run", "--no-default-browser-check", "--disable-gpu", "--disable-dev-shm-usage",
      "--disable-background-networking", "--disable-component-update", "--disable-sync",
      "--disable-extensions", "--mute-audio", "--password-store=basic", "--use-mock-keychain",
      // Nothing outside this machine can even be looked up.
      "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    ]
    // Chromium's sandbox refuses to work for root, as whom containers run.
    if geteuid() == 0 { arguments.append("--no-sandbox") }
    let script = #"in=$1 out=$2; shift 2; "$@" 3<"$in" 4>"$out"; rm -rf "${in%/in}""#
    process = try ChildProcess(
      "/bin/sh", ["-c", script, "sh", folder / "in", folder / "out", try Self.path()] + arguments,
      errors: folder / "errors")
    // Each opening waits for the other side.
    let writer = Self.opened(folder / "in", O_WRONLY)
    let reader = Self.opened(folder / "out", O_RDONLY)
    try #require(writer >= 0 && reader >= 0, "the browser did not take its pipes")
    commands = Locked(FileHandle(fileDescriptor: writer, closeOnDealloc: true))
    _ = try OSThread(name: "browser") { [state] in
      Self.read(reader, into: state)
      close(reader)
    }
  }

  private static func opened(_ path: String, _ mode: Int32) -> Int32 {
    repeating { open(path, mode | O_CLOEXEC) }
  }

  /// Calls again what a signal has interrupted.
  private static func repeating<Count: SignedInteger>(_ call: () -> Count) -> Count {
    while true {
      let result = call()
      guard result < 0, errno == EINTR else { return result }
    }
  }

  /// Sends a command and returns its result.
  ///
  /// - Parameter session: Of the page that it is for; `nil` for the browser.
  func send(
    _ method: String, _ parameters: [String: Any] = [:], session: String? = nil
  ) async throws -> ParsedJSON {
    var message: [String: Any] = ["method": method, "params": parameters]
    if let session { message["sessionId"] = session }
    let id = state.withLock { state in
      defer { state.nextID += 1 }
      return state.nextID
    }
    message["id"] = id
    let bytes = try JSONSerialization.data(withJSONObject: message) + [0]
    return try await withCheckedThrowingContinuation { continuation in
      let hasEnded = state.withLock { state in
        if !state.hasEnded { state.waiting[id] = continuation }
        return state.hasEnded
      }
      if hasEnded {
        continuation.resume(throwing: ImageError(.connectionReset, "the browser has ended"))
      } else {
        commands.withLock { try? $0.write(contentsOf: bytes) }
      }
    }
  }

  func events(of session: String) -> [Event] {
    state.withLock { $0.events.filter { $0.session == session } }
  }

  private static func read(_ answers: Int32, into state: Locked<State>) {
    var rest = Data()
    var room = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = room.withUnsafeMutableBytes { raw in
        repeating { Foundation.read(answers, raw.baseAddress, raw.count) }
      }
      guard count > 0 else { break }
      rest.append(contentsOf: room[..<count])
      while let end = rest.firstIndex(of: 0) {
        take([UInt8](rest[rest.startIndex..<end]), into: state)
        rest = rest[rest.index(after: end)...]
      }
    }
    let waiting = state.withLock { state in
      state.hasEnded = true
      defer { state.waiting = [:] }
      return state.waiting.values.map { $0 }
    }
    for continuation in waiting {
      continuation.resume(throwing: ImageError(.connectionReset, "the browser has ended"))
    }
  }

  private static func take(_ message: [UInt8], into state: Locked<State>) {
    guard let value = try? ParsedJSON(parsing: message) else { return }
    guard let id = value["id"]?.wholeNumber else {
      let event = Event(
        method: value["method"]?.text ?? "", parameters: value["params"] ?? .null,
        session: value["sessionId"]?.text)
      state.withLock { $0.events.append(event) }
      return
    }
    let continuation = state.withLock { $0.waiting.removeValue(forKey: id) }
    if let error = value["error"] {
      continuation?.resume(
        throwing: ImageError(.protocolError, error["message"]?.text ?? "the browser refused"))
    } else {
      continuation?.resume(returning: value["result"] ?? .null)
    }
  }
}
