import ImageCodecs
import ImageModel

/// The inputs of `imgcache thumb`, where a folder selects all images below it, in the order of
/// their names.
///
/// Hidden files and folders, links to folders, what is not an image, and thumbnails that a record of
/// `--update` in their tree knows are left out. An image is a file
/// that begins like one, or is called like one: a damaged one is to be reported.
struct ThumbTree {
  private(set) var inputs: [ImageInput] = []
  /// The images in formats that are not decoded.
  private(set) var unsupported: [ImageFormat: Int] = [:]
  /// The folders that cannot be read.
  private(set) var failures: [(folder: String, error: ImageError)] = []
  private(set) var hasFolder = false
  /// The folder of the thumbnails.
  private let output: FileIdentity?
  private var thumbnails: Set<FileIdentity> = []

  init(_ sources: [String], output: String) {
    self.output = FileIdentity(output)
    for source in sources {
      guard !ImageSource.isURL(source), source.fileType == S_IFDIR else {
        inputs.append(ImageInput(source: source))
        continue
      }
      hasFolder = true
      addImages(of: source.hasSuffix("/") ? source : source + "/", "")
    }
  }

  /// Adds the images below a folder, whose path has a slash at its end.
  private mutating func addImages(of folder: String, _ below: String) {
    guard let stream = opendir(folder.fileName) else {
      failures.append(
        (folder, ImageError(.fileUnreadable, "cannot read the folder \(folder)", errno: errno)))
      return
    }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(fileName: $0) }
      }
      if name == ThumbRecord.fileName { thumbnails.formUnion(ThumbRecord.thumbnails(of: folder)) }
      if !name.hasPrefix(".") { names.append(name) }
    }
    closedir(stream)
    for name in names.sorted() {
      let path = folder + name
      var facts = stat()
      guard lstat(path.fileName, &facts) == 0 else { continue }
      if facts.st_mode & S_IFMT == S_IFDIR {
        if FileIdentity(facts) == output { continue }
        addImages(of: path + "/", below.isEmpty ? name : "\(below)/\(name)")
      } else if path.fileType == S_IFREG, isImage(path), !thumbnails.contains(FileIdentity(facts)) {
        inputs.append(ImageInput(source: path, folder: below))
      }
    }
  }

  /// Whether a file is an image that can be decoded, or may be; counts others.
  private mutating func isImage(_ path: String) -> Bool {
    var head = [UInt8](repeating: 0, count: ImageFormat.sniffedByteCount)
    let descriptor = open(path.fileName, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    defer { if descriptor >= 0 { close(descriptor) } }
    let count = descriptor < 0 ? 0 : pread(descriptor, &head, head.count, 0)
    head.removeLast(head.count - max(0, count))
    guard let format = ImageFormat(sniffing: head.span.bytes) else {
      return ImageInput.extensions.contains(path.splitAtExtension.suffix.dropFirst().lowercased())
    }
    if ImageCodecs.decodableFormats.contains(format) { return true }
    unsupported[format, default: 0] += 1
    return false
  }
}
