import DiskCaching
import ImageModel
import Synchronization

/// Writes images under names made of their inputs: numbered ones in a folder, or by a template.
final class ImageFiles: Sendable {
  /// Where the files go.
  enum Target: Sendable {
    /// Names in one folder, whose path has a slash at its end.
    case folder(String)
    case template(FileTemplate)

    /// `nil` for an argument of `-o` that names one file.
    init?(_ output: String) throws {
      if FileTemplate.isNamed(by: output) {
        self = .template(try FileTemplate(output))
      } else if output != "-", OutputFolder.isNamed(by: output) {
        self = .folder(output.hasSuffix("/") ? output : output + "/")
      } else {
        return nil
      }
    }

    /// The folder that all files are in, with a slash at its end.
    var root: String {
      switch self {
      case .folder(let path): path
      case .template(let template): template.root
      }
    }
  }

  struct Made: Sendable {
    fileprivate let file: AtomicFile
    /// Without its bytes, which are in the file.
    let image: EncodedImage
    let byteCount: Int
    /// Where its bytes came from, if they are those of a URL.
    let source: LoadSource?
    fileprivate let hash: BlobHash
    fileprivate let elapsed: Duration
  }

  struct Ending: Sendable {
    let index: Int
    let elapsed: Duration
    let result: Result<(path: String, made: Made), ImageError>
    /// Whether the file is that of an ending before: of a small image two sizes may be the same.
    var isRepeated = false
  }

  private struct State {
    var names: ImageNames
    var waiting: [Int: Made] = [:]
    /// The folders that exist, and the inputs and contents of the paths that a template has named.
    var folders: [String: OutputFolder] = [:]
    var paths: [String: (index: Int, hash: BlobHash?)] = [:]
  }

  private let root: OutputFolder
  private let template: FileTemplate?
  private let inputs: [ImageInput]
  private let others: [String]
  private let state: Mutex<State>
  /// The files that are read; `nil` until one of them might be replaced.
  private let identities = Mutex<Set<FileIdentity>?>(nil)

  /// Creates the folder.
  ///
  /// - Parameter others: Files that are read besides the inputs, and not replaced either.
  init(_ target: Target, inputs: [ImageInput], others: [String] = []) throws(ImageError) {
    self.others = others
    root = try OutputFolder(creating: target.root)
    template = if case .template(let template) = target { template } else { nil }
    self.inputs = inputs
    state = Mutex(State(names: ImageNames(stems: template == nil ? inputs.map(\.stem) : [])))
  }

  /// Leaves the path of an image that stays to its input.
  func keep(_ path: String, of index: Int) {
    state.withLock { $0.paths[path.lowercased()] = (index, nil) }
  }

  /// Whether no other input could have the name of an image.
  func isNamedAlone(_ index: Int) -> Bool {
    template != nil || state.withLock { $0.names.isAlone(index) }
  }

  /// Writes the image of an input, names it and those that waited for it where their names are
  /// decided, and returns the inputs that ended.
  ///
  /// - Parameters:
  ///   - inputHash: The SHA-256 of the input, for a template that has it.
  ///   - source: Where the bytes came from, if they are those of a URL.
  func settle(
    _ index: Int, _ result: Result<EncodedImage, ImageError>, inputHash: BlobHash? = nil,
    source: LoadSource? = nil, elapsed: Duration
  ) -> [Ending] {
    do throws(ImageError) {
      var image = try result.get()
      let path = template?.path(inputs[index], image, inputHash)
      let folder = try path.map { (path) throws(ImageError) in try self.folder(of: path) } ?? root
      let file = try folder.stage(image.bytes)
      let (hash, byteCount) = (
        image.bytes.withUnsafeBytes { SHA256.hash(of: $0) }, image.bytes.count
      )
      image.bytes = []
      let made = Made(
        file: file, image: image, byteCount: byteCount, source: source, hash: hash,
        elapsed: elapsed)
      if let path { return [publish(index, path, in: folder, made)] }
      let named = decided(index, made)
      if !named.contains(where: { $0.index == index }) { file.park() }
      return named.map(publish)
    } catch {
      let failed = Ending(index: index, elapsed: elapsed, result: .failure(error))
      return [failed] + (template == nil ? decided(index, nil).map(publish) : [])
    }
  }

  private func folder(of path: String) throws(ImageError) -> OutputFolder {
    let name = path.lastIndex(of: "/").map { String(path[...$0]) } ?? "./"
    if let known = state.withLock({ $0.folders[name] }) { return known }
    let folder = try OutputFolder(creating: name)
    state.withLock { $0.folders[name] = folder }
    return folder
  }

  /// Publishes what a template has named, unless another image has the name.
  private func publish(
    _ index: Int, _ path: String, in folder: OutputFolder, _ made: Made
  ) -> Ending {
    let taken = state.withLock { state in
      let other = state.paths[path.lowercased()]
      if other == nil { state.paths[path.lowercased()] = (index, made.hash) }
      return other
    }
    let result = Result { () throws(ImageError) in
      guard let taken else {
        let name = path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
        try checkInputs(path)
        try folder.publish(made.file, as: name)
        return (path: path, made: made)
      }
      guard taken.index == index, taken.hash == made.hash else {
        throw .misuse(
          "not written: \(path) is a thumbnail of \(inputs[taken.index].source) already; "
            + "use more fields in the template")
      }
      return (path: path, made: made)
    }
    return Ending(index: index, elapsed: made.elapsed, result: result, isRepeated: taken != nil)
  }

  func discard() { state.withLock { $0.waiting = [:] } }

  private func decided(_ index: Int, _ made: Made?) -> [(index: Int, name: String, made: Made)] {
    state.withLock { state in
      state.waiting[index] = made
      return state.names.settle(index, extension: made?.image.format.fileExtension).compactMap {
        guard let name = $0.name, let made = state.waiting.removeValue(forKey: $0.index) else {
          return nil
        }
        return ($0.index, name, made)
      }
    }
  }

  private func publish(_ index: Int, _ name: String, _ made: Made) -> Ending {
    let result = Result { () throws(ImageError) in
      try checkInputs(root.path + name)
      try root.publish(made.file, as: name)
      return (path: root.path + name, made: made)
    }
    return Ending(index: index, elapsed: made.elapsed, result: result)
  }

  /// Rejects a name that an input has: `thumb *.jpg -o ./` must not replace the originals.
  private func checkInputs(_ path: String) throws(ImageError) {
    var facts = stat()
    guard lstat(path.fileName, &facts) == 0 else { return }
    let isInput = identities.withLock { identities in
      let known = identities ?? identify()
      identities = known
      return known.contains(FileIdentity(facts))
    }
    guard !isInput else {
      throw .misuse(
        "not written: \(path) is one of the inputs; name another folder with -o")
    }
  }

  private func identify() -> Set<FileIdentity> {
    var identities: Set<FileIdentity> = []
    for input in inputs.map(\.source) + others where input != "-" && !ImageSource.isURL(input) {
      var facts = stat()
      if let identity = FileIdentity(input) { identities.insert(identity) }
      if lstat(input.fileName, &facts) == 0 { identities.insert(FileIdentity(facts)) }
    }
    return identities
  }
}
