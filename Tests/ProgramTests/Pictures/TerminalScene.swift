import Foundation
import Testing

@testable import TestSupport

/// A terminal in which commands are typed and run, as it is seen over time.
struct TerminalScene {
  /// The screen now.
  private(set) var screen: TerminalScreen
  /// What each command is given beside its arguments, for example `IMGCACHE_DIR`.
  let environment: [String: String]

  private static let prompt = "\u{1B}[32m$\u{1B}[0m "
  /// The time between two frames.
  private static let tick = Duration.milliseconds(100)
  /// The longest time in which nothing changes.
  private static let patience = Duration.seconds(1)

  init(columns: Int, rows: Int, environment: [String: String]) {
    screen = TerminalScreen(columns: columns, rows: rows)
    self.environment = environment
  }

  /// Types a command and runs it.
  ///
  /// - Parameters:
  ///   - folder: The working directory.
  ///   - expected: The exit status; `nil` for any.
  ///   - seen: Receives each screen, and the time that it shows.
  mutating func run(
    _ arguments: [String], in folder: String, status expected: Int32? = 0,
    seen: (TerminalScreen, Duration) async throws -> Void
  ) async throws {
    screen.show(Array(Self.prompt.utf8))
    var line = (["imgcache"] + arguments.map(Self.quoted)).joined(separator: " ")[...]
    while !line.isEmpty {
      screen.show(Array(line.prefix(3).utf8))
      line = line.dropFirst(3)
      try await seen(screen, .milliseconds(60))
    }
    try await seen(screen, .milliseconds(400))
    screen.show(Array("\r\n".utf8))

    var tool = Tool.imgcache
    tool.environment = environment
    let terminal = try PseudoTerminal(
      columns: UInt16(screen.columns), rows: UInt16(screen.rows))
    let status = try await terminal.start(tool, arguments, in: folder).end()
    let output = terminal.end()
    #expect(
      status == expected ?? status, "\(arguments): \(String(decoding: output, as: UTF8.self))")
    try await replay(output, terminal.pieces, seen: seen)
  }

  private mutating func replay(
    _ output: [UInt8], _ pieces: [PseudoTerminal.Piece],
    seen: (TerminalScreen, Duration) async throws -> Void
  ) async throws {
    var shown = 0
    var start = pieces.first?.time
    for (piece, next) in zip(pieces, pieces.dropFirst().map(Optional.some) + [nil]) {
      // A piece may end within a sequence or a letter: what follows the last line is shown later.
      let end =
        next == nil ? piece.end : output[shown..<piece.end].lastIndex { $0 == 0x1B || $0 == 0x0A }
      screen.show(Array(output[shown..<(end ?? shown)]))
      shown = end ?? shown
      guard let next, let begun = start else { break }
      let time = next.time - begun
      guard time >= Self.tick else { continue }
      try await seen(screen, min(time, Self.patience))
      start = next.time
    }
    try await seen(screen, Self.tick)
  }

  private static func quoted(_ argument: String) -> String {
    argument.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./:,=%".contains($0)) }
      ? argument : "'\(argument)'"
  }
}
