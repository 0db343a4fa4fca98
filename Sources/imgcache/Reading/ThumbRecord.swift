import DiskCaching
import ImageCodecs
import ImageModel
import Synchronization

/// What `--update` remembers of earlier calls, in a file beside the thumbnails: which of them is of
/// which input, as it was, and made with which options.
final class ThumbRecord: Sendable {
  static let fileName = ".imgcache-thumbs.json"
  private static let maximumByteCount = 256 << 20

  /// A file as it was: one that has changed since is made again.
  struct FileState: Codable, Hashable {
    let bytes: Int
    /// The time of its last change, in nanoseconds since 1970.
    let changed: Int

    /// `nil` for what is not a regular file.
    init?(_ path: String) {
      var facts = stat()
      guard stat(path.fileName, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return nil }
      bytes = Int(facts.st_size)
      #if canImport(Darwin)
        let time = facts.st_mtimespec
      #else
        let time = facts.st_mtim
      #endif
      changed = Int(time.tv_sec) &* 1_000_000_000 &+ Int(time.tv_nsec)
    }
  }

  private struct Entry: Codable {
    let input: String
    let options: String
    let state: FileState
    /// Below the folder of the record.
    let output: String
    let outputState: FileState
  }

  private struct Key: Hashable {
    let input: String
    let options: String
  }

  private let folder: String
  private let target: String
  private let entries: Mutex<[Key: Entry]>
  /// When it is written next, so that a call that is killed leaves what it had made.
  private let due: Mutex<ContinuousClock.Instant>
  private let writeInterval: Duration

  /// Reads the record of a folder. One that cannot be read knows nothing.
  ///
  /// - Parameters:
  ///   - target: The argument of `-o`, which is one of the options.
  ///   - writeInterval: How often it is written while thumbnails are made. Default: every 2 s.
  init(of folder: String, target: String, writeInterval: Duration = .seconds(2)) {
    // Paths in the current folder have no folder.
    let folder = folder == "./" ? "" : folder
    self.folder = folder
    self.target = target
    self.writeInterval = writeInterval
    due = Mutex(.now + writeInterval)
    var known: [Key: Entry] = [:]
    for entry in Self.entries(of: folder) {
      known[Key(input: entry.input, options: entry.options)] = entry
    }
    entries = Mutex(known)
  }

  private static func entries(of folder: String) -> [Entry] {
    guard (folder + fileName).fileType == S_IFREG,
      let bytes = try? InputFile.read(folder + fileName, maximum: maximumByteCount),
      let entries = try? JSONDecoder().decode([Entry].self, from: Data(bytes))
    else { return [] }
    return entries
  }

  /// Returns the thumbnails that the record of a folder knows.
  static func thumbnails(of folder: String) -> Set<FileIdentity> {
    Set(entries(of: folder).compactMap { FileIdentity(folder + $0.output) })
  }

  /// Returns the thumbnail of an input that an earlier call made with the same options, if neither
  /// has changed since.
  func current(_ input: ImageInput, _ recipe: ThumbnailRecipe) -> String? {
    guard !input.isURL, let path = input.source.absolutePath, let state = FileState(path),
      let entry = entries.withLock({ $0[Key(input: path, options: options(recipe))] }),
      entry.state == state, let output = FileState(folder + entry.output),
      output == entry.outputState, output.changed >= state.changed
    else { return nil }
    return folder + entry.output
  }

  /// Remembers a thumbnail that was made of an input whose state was taken before it was read.
  func add(_ input: ImageInput, _ state: FileState?, _ recipe: ThumbnailRecipe, output: String) {
    guard let state, let path = input.source.absolutePath, output.hasPrefix(folder),
      let outputState = FileState(output)
    else { return }
    let entry = Entry(
      input: path, options: options(recipe), state: state,
      output: String(output.dropFirst(folder.count)), outputState: outputState)
    entries.withLock { $0[Key(input: path, options: entry.options)] = entry }
    writeIfDue()
  }

  /// Writes it now and then; what prevents that is reported by the last ``write()``. The time spent
  /// on it is at most a twentieth.
  private func writeIfDue() {
    let began = ContinuousClock.now
    let isDue = due.withLock { due in
      guard began >= due else { return false }
      due = began + .seconds(86_400)
      return true
    }
    guard isDue else { return }
    try? write()
    let took = began.duration(to: .now)
    due.withLock { $0 = .now + max(writeInterval, took * 20) }
  }

  /// Writes what is known of thumbnails that are still there.
  func write() throws(ImageError) {
    let kept = entries.withLock(\.self).values
      .filter { FileState(folder + $0.output) == $0.outputState }
      .sorted { ($0.output, $0.input, $0.options) < ($1.output, $1.input, $1.options) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(kept) else { return }
    let path = folder + Self.fileName
    try AtomicFile.write([UInt8](data).span.bytes, to: path.fileName, path: path)
  }

  private func options(_ recipe: ThumbnailRecipe) -> String { "\(recipe.identity) \(target)" }
}

extension String {
  /// The absolute path, without symbolic links but for the last name; `nil` if its folder does not
  /// exist.
  fileprivate var absolutePath: String? {
    let slash = lastIndex(of: "/")
    let folder = slash.map { String(self[...$0]) } ?? "."
    guard let path = realpath(folder.fileName, nil) else { return nil }
    defer { free(path) }
    return String(fileName: path) + "/" + (slash.map { self[index(after: $0)...] } ?? self[...])
  }
}
