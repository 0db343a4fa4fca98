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

/// The folder or file that an export ends up in.
///
/// A file is made in a hidden folder beside it and replaces the former one when it is complete: a
/// ZIP file from what it had before and what is added, a comic book or an EPUB from the days of the
/// export alone. One that is not an export is never replaced.
final class ExportTarget: Sendable {
  private enum Form: String {
    case folder
    case zip = "ZIP file"
    case comic = "comic book"
    case book = "EPUB"

    /// The comment of the archive, which marks an export of its form.
    var comment: String { self == .zip ? "imgcache export" : "imgcache export: \(rawValue)" }

    /// By the ending of the path, unless that is a folder.
    init(of path: String) {
      let forms: [(String, Form)] = [(".zip", .zip), (".cbz", .comic), (".epub", .book)]
      let isFolder = ExportFile.facts(path).map { $0.st_mode & S_IFMT == S_IFDIR } ?? false
      let name = path.lowercased()
      self = isFolder ? .folder : forms.first { name.hasSuffix($0.0) }?.1 ?? .folder
    }
  }

  static func isBook(_ path: String) -> Bool { [.comic, .book].contains(Form(of: path)) }

  /// The folder of the days' folders.
  let directory: String
  let links: Bool
  private let form: Form
  private let file: (path: String, workspace: String, lock: Int32)?

  /// Whether the days have pages for a browser.
  var hasPages: Bool { form == .folder || form == .zip }

  /// Checks a path before anything is fetched.
  static func check(
    _ path: String, links: Bool = false, names: ExportNames = .standard
  ) throws(ImageError) {
    try ImageError.check(path, of: "the path of the export", .invalidArgument)
    let form = Form(of: path)
    guard form != .folder else { return }
    guard !links else {
      throw ImageError(
        .invalidArgument,
        "the \(form.rawValue) \(path) cannot have hard links to files of the cache; "
          + "export to a folder, or copies")
    }
    guard form == .zip || names == .standard else {
      throw ImageError(
        .invalidArgument,
        "the images of the \(form.rawValue) \(path) are named by their order; "
          + "export to a folder or a ZIP file for other names")
    }
    guard let facts = ExportFile.facts(path) else { return }
    guard facts.st_mode & S_IFMT == S_IFREG, ZipArchive.hasComment(form.comment, path) else {
      throw ImageError(
        .storeFailed,
        "cannot export to \(path): it exists and is not an export of imgcache; name another file"
      )
    }
  }

  init(_ path: String, links: Bool) throws(ImageError) {
    form = Form(of: path)
    guard form != .folder else {
      directory = path
      self.links = links
      file = nil
      return
    }
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let parent = parts.count > 1 ? parts.dropLast().joined(separator: "/") + "/" : "./"
    try ExportFile.makeFolder(parent)
    let lock = try ExportFile.lock(folder: parent, followsLinks: true)
    ExportFile.removeLeftovers(in: parent, of: String(parts.last ?? ""))
    let workspace = ExportFile.temporaryName(in: parent, for: String(parts.last ?? ""))
    directory = "\(workspace)/days"
    // No one sees these files, and they are read once.
    self.links = true
    file = (path, workspace, lock)
    try Self.check(path)
    try ExportFile.makeFolder(directory)
    if form == .zip, ExportFile.facts(path) != nil { try ZipArchive.extract(path, to: directory) }
  }

  deinit {
    guard let file else { return }
    try? FileManager.default.removeItem(atPath: file.workspace)
    close(file.lock)
  }

  /// Writes the page of all days, and the file.
  func finish() throws(ImageError) -> [String] {
    let notes = hasPages ? try writeOverview() : []
    guard let file,
      !((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).isEmpty
    else { return notes }
    var contents = directory
    if !hasPages {
      contents = "\(file.workspace)/book"
      do throws(ImageError) {
        if form == .comic {
          try ComicBook.make(of: directory, in: contents)
        } else {
          try EPUBBook.make(of: directory, in: contents)
        }
      } catch {
        throw error.withMessage("cannot export to \(file.path): \(error.message)")
      }
    }
    let whole = "\(file.workspace)/export.zip"
    try ZipArchive.write(contents, to: whole, comment: form.comment, first: EPUBBook.firstFile)
    // Something else may have appeared there.
    try Self.check(file.path)
    guard rename(whole, file.path) == 0 else { throw ExportFile.failure(file.path) }
    return notes
  }

  private func writeOverview() throws(ImageError) -> [String] {
    let lock = try ExportFile.lock(folder: directory, followsLinks: true)
    defer { close(lock) }
    let overview = ExportOverview(of: directory)
    // No day could be written.
    guard !overview.isEmpty else { return [] }
    let name = try ExportPageFile.write(overview.html, in: directory)
    try overview.linkPages(in: directory, overview: name)
    return ExportPageFile.note(on: name, in: directory).map { [$0] } ?? []
  }
}
