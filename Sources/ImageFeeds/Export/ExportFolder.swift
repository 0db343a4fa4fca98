import DiskCaching
import ImageModel

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A day's folder of an export: files whose names belong to one URL each, and their `index.json`.
///
/// No file of another URL, and none that something else created or changed, is overwritten: an
/// image whose name is taken, also by one that differs in case only, gets `-2`, `-3` and so on. A
/// URL keeps its name as long as the index exists; without an index a file with equal bytes is
/// reused. Symbolic links are never followed. While a folder is open, other exports wait for it.
final class ExportFolder {
  private static let thumbnailFolder = "thumbs"

  let path: String
  private let descriptor: Int32
  private let links: Bool
  var index: ExportIndex
  private var owners: [String: ExactString] = [:]
  /// The names in the folder, by what file systems that ignore case compare.
  private var usedNames: [String: ExactString] = [:]
  /// The number to try next, by the name that was taken: many URLs may prefer the same one.
  private var numbers: [String: Int] = [:]

  /// Creates the folder if it is missing, waits until no other export uses it, and reads its index.
  /// The folder of the whole export may be a symbolic link.
  init(_ directory: String, day: DayKey, links: Bool) throws(ImageError) {
    path = "\(directory)/\(day)"
    self.links = links
    try ExportFile.makeFolder(directory)
    guard mkdir(path, 0o777) == 0 || errno == EEXIST else { throw ExportFile.failure(path) }
    descriptor = try ExportFile.lock(folder: path)
    index = ExportIndex(in: path, day: day) ?? ExportIndex(day: day)
    for name in (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? [] { reserve(name) }
    for entry in index.images {
      guard let file = entry.file else { continue }
      owners[file] = ExactString(entry.url)
      reserve(file)
    }
  }

  deinit { close(descriptor) }

  /// - Parameter thumbnails: Default: those that the index has, if the image is the same.
  func place(
    _ content: ExportFile.Content, stem: String, extension suffix: String,
    _ entry: ExportIndex.Image, thumbnails: [Thumbnail] = []
  ) throws(ImageError) {
    var entry = entry
    guard let hash = ExportFile.hash(of: content) else {
      throw ImageError(
        .storeFailed, "cannot export \(entry.url): the file to copy cannot be read", url: entry.url)
    }
    entry.sha256 = hash.hex
    entry.bytes = entry.bytes ?? hash.byteCount
    var source = Source(content: content, hash: hash.hex)
    let known = index[entry.url]
    if let known, let file = known.file, owners[file] == ExactString(entry.url),
      file.hasSuffix(".\(suffix)"), Self.isPlain(file),
      try adopt(file, from: &source, known: known.sha256)
    {
      entry.file = file
    } else {
      entry.file = try freeName(stem, suffix, for: entry.url, from: &source)
    }
    if known?.sha256 == entry.sha256 { entry.thumbnails = known?.thumbnails }
    if !thumbnails.isEmpty {
      entry.thumbnails = try place(thumbnails, of: entry, known: known?.thumbnails ?? [])
    }
    record(entry)
  }

  /// A smaller version of an image in the cache.
  struct Thumbnail {
    var path: String
    var size: PixelSize
    var suffix: String
  }

  /// Places thumbnails as `thumbs/NAME-400x300.jpg`; those that were evicted meanwhile are left out.
  private func place(
    _ thumbnails: [Thumbnail], of image: ExportIndex.Image, known: [ExportIndex.Thumbnail]
  ) throws(ImageError) -> [ExportIndex.Thumbnail]? {
    let folder = "\(path)/\(Self.thumbnailFolder)"
    guard mkdir(folder, 0o777) == 0 || errno == EEXIST else { throw ExportFile.failure(folder) }
    close(try ExportFile.lock(folder: folder))
    let stem = image.file?.split(separator: ".").dropLast().joined(separator: ".") ?? ""
    var placed: [ExportIndex.Thumbnail] = []
    for thumbnail in thumbnails where ExportFile.facts(thumbnail.path) != nil {
      let content = ExportFile.Content.cached(path: thumbnail.path)
      guard let hash = ExportFile.hash(of: content) else { continue }
      var source = Source(content: content, hash: hash.hex)
      let (width, height) = (thumbnail.size.width, thumbnail.size.height)
      let name = "\(Self.thumbnailFolder)/\(stem)-\(width)x\(height)"
      var file = "\(name).\(thumbnail.suffix)"
      let former = known.first { $0.file == file }?.sha256
      var isPlaced = false
      if let former { isPlaced = try adopt(file, from: &source, known: former) }
      if !isPlaced {
        file = try freeName(name, thumbnail.suffix, for: image.url, from: &source)
      }
      placed.append(
        ExportIndex.Thumbnail(file: file, width: width, height: height, sha256: hash.hex))
    }
    return placed.isEmpty ? nil : placed
  }

  func record(_ entry: ExportIndex.Image) {
    if entry.file == nil, index[entry.url]?.file != nil { return }
    if let file = entry.file {
      owners[file] = ExactString(entry.url)
      reserve(file)
    }
    index[entry.url] = entry
  }

  /// Whether the index has a file of the URL that is not a placeholder.
  func hasFile(of url: String) -> Bool {
    index[url].map { $0.file != nil && $0.placeholder != true } ?? false
  }

  /// Replaces the index that was read. One that could not be read is renamed.
  func writeIndex() throws(ImageError) {
    let target = path + "/" + ExportIndex.fileName
    if ExportFile.facts(target) != nil, ExportIndex(in: path, day: index.day) == nil {
      try moveAside(target)
    }
    try AtomicFile.write(index.text.span.bytes, to: target, path: target)
  }

  private struct Source {
    let content: ExportFile.Content
    let hash: String
    var file: AtomicFile?
  }

  /// Returns the first of `stem`, `stem-2`, `stem-3`… that is free or has these bytes already.
  private func freeName(
    _ stem: String, _ suffix: String, for url: String, from source: inout Source
  ) throws(ImageError) -> String {
    let wanted = "\(stem).\(suffix)"
    var number = numbers[wanted] ?? 1
    while true {
      let name = number == 1 ? wanted : "\(stem)-\(number).\(suffix)"
      number += 1
      let isOthers =
        owners[name].map { $0 != ExactString(url) } ?? false
        || usedNames[Self.folded(name)].map { $0 != ExactString(name) } ?? false
      if !isOthers, try adopt(name, from: &source, known: nil) {
        numbers[wanted] = number
        return name
      }
    }
  }

  /// Places an image under a name, unless the name is taken. `known` is the digest of the file that
  /// an earlier export placed there.
  private func adopt(
    _ name: String, from source: inout Source, known: String?
  ) throws(ImageError) -> Bool {
    let target = path + "/" + name
    while true {
      let facts = ExportFile.facts(target)
      if let facts {
        guard facts.st_mode & S_IFMT == S_IFREG,
          let present = ExportFile.read(target).map(ExportFile.hash)
        else { return false }
        if present == source.hash { return true }
        // Only an unchanged file of an earlier export is replaced by a new version of its URL.
        guard known == present else { return false }
      }
      if source.file == nil {
        source.file = try ExportFile.stage(source.content, in: path, path: target, links: links)
      }
      // Not if the name was taken meanwhile.
      let isReplacing = facts != nil
      if try source.file?.publish(as: name, path: target, isReplacing: isReplacing) ?? false {
        return true
      }
    }
  }

  private func reserve(_ name: String) { usedNames[Self.folded(name)] = ExactString(name) }

  /// What NTFS, FAT and APFS compare: equal for names that differ in case only. (Equal strings
  /// are canonically equivalent already.)
  private static func folded(_ name: String) -> String { name.uppercased().lowercased() }

  /// Whether a name in an index, which is not trusted, is a name in this folder.
  private static func isPlain(_ name: String) -> Bool {
    !name.hasPrefix(".") && !name.contains("/") && name.utf8.count < 250
      && !name.utf8.contains { $0 < 0x20 || $0 == 0x7F } && name != ExportIndex.fileName
  }

  private func moveAside(_ target: String) throws(ImageError) {
    var number = 1
    var name = "\(path)/index-damaged.json"
    while ExportFile.facts(name) != nil {
      number += 1
      name = "\(path)/index-damaged-\(number).json"
    }
    guard rename(target, name) == 0 else { throw ExportFile.failure(target) }
  }
}
