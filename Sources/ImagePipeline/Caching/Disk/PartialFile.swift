/// One kept beginning of a body; see ``PartialStore``.
final class PartialFile: PartialBody {
  private struct State {
    var file: Int32?
    var validator: String?
    var expectedByteCount: Int?
    var byteCount = 0
  }

  private let path: String
  private let files: any FileSystem
  private let state: Locked<State>

  /// Opens or creates the file; `nil` when another holder has it.
  init?(
    at path: String, files: any FileSystem, prepare: () throws(FileSystemFailure) -> Void
  ) throws(FileSystemFailure) {
    self.path = path
    self.files = files
    let file = try Self.open(path, files, prepare)
    guard files.tryLock(file), try files.facts(at: path)?.identity == files.facts(of: file).identity
    else {
      files.close(file)
      return nil
    }
    var state = State(file: file, byteCount: try files.facts(of: file).byteCount)
    if let head = Self.readHead(path + ".head", files) {
      (state.validator, state.expectedByteCount) = (head.validator, head.expectedByteCount)
      // More bytes than the whole has: not a beginning of it.
      if let whole = head.expectedByteCount, state.byteCount > whole { state.validator = nil }
    }
    if state.validator == nil { state.byteCount = 0 }
    self.state = Locked(state)
  }

  deinit {
    state.withLock { state in
      if let file = state.file { files.close(file) }
    }
  }

  var validator: String? { state.withLock { $0.validator } }
  var expectedByteCount: Int? { state.withLock { $0.expectedByteCount } }
  var byteCount: Int { state.withLock { $0.byteCount } }

  func restart(validator: String?, expectedByteCount: Int?) throws(ImageError) {
    try change { state throws(FileSystemFailure) in
      guard let file = state.file else { return }
      try files.remove(path + ".head")
      try files.truncate(file)
      state.byteCount = 0
      (state.validator, state.expectedByteCount) = (validator, expectedByteCount)
      guard let validator else { return }
      try Self.writeHead(path + ".head", validator, expectedByteCount, files)
    }
  }

  func append(_ bytes: RawSpan) throws(ImageError) {
    try change { state throws(FileSystemFailure) in
      guard let file = state.file else {
        throw FileSystemFailure(number: FileSystemFailure.absent, path: path)
      }
      let failure = bytes.withUnsafeBytes { bytes -> FileSystemFailure? in
        do throws(FileSystemFailure) {
          if state.byteCount == 0 { try files.truncate(file) }
          try files.write(bytes, to: file, at: state.byteCount)
          return nil
        } catch {
          return error
        }
      }
      if let failure { throw failure }
      state.byteCount += bytes.byteCount
    }
  }

  func contents() throws(ImageError) -> [UInt8] {
    var bytes: [UInt8] = []
    let result = state.withLock { state -> Result<[UInt8], FileSystemFailure> in
      guard let file = state.file else { return .success([]) }
      do throws(FileSystemFailure) {
        return .success(try files.readWhole(file, byteCount: state.byteCount) ?? [])
      } catch {
        return .failure(error)
      }
    }
    do throws(FileSystemFailure) { bytes = try result.get() } catch { throw error.error }
    return bytes
  }

  func finish() throws(ImageError) -> String {
    let whole = "\(path).\(UInt64.random(in: .min ... .max)).whole"
    try change { state throws(FileSystemFailure) in
      guard let file = state.file else {
        throw FileSystemFailure(number: FileSystemFailure.absent, path: path)
      }
      try files.rename(path, to: whole)
      try files.remove(path + ".head")
      files.close(file)
      state.file = nil
    }
    return whole
  }

  func discard() {
    state.withLock { state in
      guard let file = state.file else { return }
      state.file = nil
      try? files.remove(path + ".head")
      try? files.remove(path)
      files.close(file)
    }
  }

  private func change(
    _ body: (inout State) throws(FileSystemFailure) -> Void
  ) throws(ImageError) {
    do throws(FileSystemFailure) {
      var copy = state.withLock { $0 }
      defer { state.withLock { [copy] in $0 = copy } }
      try body(&copy)
    } catch {
      throw error.error
    }
  }

  private static func open(
    _ path: String, _ files: any FileSystem, _ prepare: () throws(FileSystemFailure) -> Void
  ) throws(FileSystemFailure) -> Int32 {
    for _ in 0..<8 {
      do {
        return try files.open(path, forWriting: true)
      } catch  where error.isAbsent {
        do {
          return try files.create(path, mode: 0o644)
        } catch {
          if error.isAbsent { try prepare() } else if !error.exists { throw error }
        }
      }
    }
    throw FileSystemFailure(number: FileSystemFailure.absent, path: path)
  }

  private static func readHead(
    _ path: String, _ files: any FileSystem
  ) -> (validator: String, expectedByteCount: Int?)? {
    guard let file = try? files.open(path, forWriting: false) else { return nil }
    defer { files.close(file) }
    guard let count = try? files.facts(of: file).byteCount, count < 1 << 16,
      let bytes = try? files.readWhole(file, byteCount: count)
    else { return nil }
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", omittingEmptySubsequences: false)
    guard lines.count == 4, !lines[0].isEmpty, Int64(lines[2]) == BootIdentity.current else {
      return nil
    }
    return (String(lines[0]), Int(lines[1]))
  }

  private static func writeHead(
    _ path: String, _ validator: String, _ expectedByteCount: Int?, _ files: any FileSystem
  ) throws(FileSystemFailure) {
    let text =
      "\(validator)\n\(expectedByteCount.map(String.init) ?? "-")\n\(BootIdentity.current)\n"
    let temporary = "\(path).\(UInt64.random(in: .min ... .max)).tmp"
    let file = try files.create(temporary, mode: 0o644)
    defer { files.close(file) }
    try files.write(Array(text.utf8), to: file)
    try files.rename(temporary, to: path)
  }
}
