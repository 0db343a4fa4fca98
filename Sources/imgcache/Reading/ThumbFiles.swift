import DiskCaching
import ImageModel
import Synchronization

final class ThumbFiles: Sendable {
  struct Made: Sendable {
    fileprivate let file: AtomicFile
    /// Without its bytes, which are in the file.
    let image: EncodedImage
    let byteCount: Int
    fileprivate let elapsed: Duration
  }

  struct Ending: Sendable {
    let index: Int
    let elapsed: Duration
    let result: Result<(path: String, made: Made), ImageError>
  }

  private struct State {
    var names: ThumbNames
    var waiting: [Int: Made] = [:]
  }

  private struct FileIdentity: Hashable {
    let device: UInt64
    let number: UInt64

    init(_ facts: stat) {
      device = UInt64(facts.st_dev)
      number = UInt64(facts.st_ino)
    }
  }

  private let folder: OutputFolder
  private let inputs: [String]
  private let state: Mutex<State>
  /// The files among the inputs; `nil` until one of them might be replaced.
  private let identities = Mutex<Set<FileIdentity>?>(nil)

  init(_ folder: OutputFolder, inputs: [String]) {
    self.folder = folder
    self.inputs = inputs
    state = Mutex(State(names: ThumbNames(stems: inputs.map(ThumbInput.stem))))
  }

  /// Writes the thumbnail of an input, names it and those that waited for it where their names are
  /// decided, and returns the inputs that ended.
  func settle(
    _ index: Int, _ result: Result<EncodedImage, ImageError>, elapsed: Duration
  ) -> [Ending] {
    do throws(ImageError) {
      var image = try result.get()
      let (file, byteCount) = (try folder.stage(image.bytes), image.bytes.count)
      image.bytes = []
      let named = decided(
        index, Made(file: file, image: image, byteCount: byteCount, elapsed: elapsed))
      if !named.contains(where: { $0.index == index }) { file.park() }
      return named.map(publish)
    } catch {
      return [Ending(index: index, elapsed: elapsed, result: .failure(error))]
        + decided(index, nil).map(publish)
    }
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
      try checkInputs(name)
      try folder.publish(made.file, as: name)
      return (path: folder.path + name, made: made)
    }
    return Ending(index: index, elapsed: made.elapsed, result: result)
  }

  /// Rejects a name that an input has: `thumb *.jpg -o ./` must not replace the originals.
  private func checkInputs(_ name: String) throws(ImageError) {
    var facts = stat()
    guard lstat((folder.path + name).fileName, &facts) == 0 else { return }
    let isInput = identities.withLock { identities in
      let known = identities ?? identify()
      identities = known
      return known.contains(FileIdentity(facts))
    }
    guard !isInput else {
      throw .misuse(
        "not written: \(folder.path)\(name) is one of the inputs; name another folder with -o")
    }
  }

  private func identify() -> Set<FileIdentity> {
    var identities: Set<FileIdentity> = []
    for input in inputs where input != "-" && !ImageSource.isURL(input) {
      var facts = stat()
      if stat(input.fileName, &facts) == 0 { identities.insert(FileIdentity(facts)) }
      if lstat(input.fileName, &facts) == 0 { identities.insert(FileIdentity(facts)) }
    }
    return identities
  }
}
