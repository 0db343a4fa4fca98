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

/// The folder or ZIP file that an export ends up in.
///
/// A ZIP file is made in a hidden folder beside it, from what it had before and what is added, and
/// replaces the former one when it is complete. One that is not an export is never replaced.
final class ExportTarget: Sendable {
  private static let comment = "imgcache export"

  let directory: String
  let links: Bool
  private let zip: (path: String, workspace: String, lock: Int32)?

  private static func isZip(_ path: String) -> Bool {
    guard path.lowercased().hasSuffix(".zip") else { return false }
    return ExportFile.facts(path).map { $0.st_mode & S_IFMT != S_IFDIR } ?? true
  }

  /// Checks a path before anything is fetched.
  static func check(_ path: String, links: Bool = false) throws(ImageError) {
    try ImageError.check(path, of: "the path of the export", .invalidArgument)
    guard isZip(path) else { return }
    guard !links else {
      throw ImageError(
        .invalidArgument,
        "the ZIP file \(path) cannot have hard links to files of the cache; export to a folder, or copies"
      )
    }
    guard let facts = ExportFile.facts(path) else { return }
    guard facts.st_mode & S_IFMT == S_IFREG, ZipArchive.hasComment(comment, path) else {
      throw ImageError(
        .storeFailed,
        "cannot export to \(path): it exists and is not an export of imgcache; name another file")
    }
  }

  init(_ path: String, links: Bool) throws(ImageError) {
    guard Self.isZip(path) else {
      directory = path
      self.links = links
      zip = nil
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
    zip = (path, workspace, lock)
    try Self.check(path)
    try ExportFile.makeFolder(directory)
    if ExportFile.facts(path) != nil { try ZipArchive.extract(path, to: directory) }
  }

  deinit {
    guard let zip else { return }
    try? FileManager.default.removeItem(atPath: zip.workspace)
    close(zip.lock)
  }

  /// Writes the page of all days, and the ZIP file.
  func finish() throws(ImageError) -> [String] {
    let notes = try writeOverview()
    guard let zip,
      !((try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []).isEmpty
    else { return notes }
    let file = "\(zip.workspace)/export.zip"
    try ZipArchive.write(directory, to: file, comment: Self.comment)
    // Something else may have appeared there.
    try Self.check(zip.path)
    guard rename(file, zip.path) == 0 else { throw ExportFile.failure(zip.path) }
    return notes
  }

  private func writeOverview() throws(ImageError) -> [String] {
    let lock = try ExportFile.lock(folder: directory, followsLinks: true)
    defer { close(lock) }
    let overview = ExportOverview(of: directory)
    // No day could be written.
    guard !overview.isEmpty else { return [] }
    let name = try ExportPageFile.write(overview.html, in: directory)
    return ExportPageFile.note(on: name, in: directory).map { [$0] } ?? []
  }
}
