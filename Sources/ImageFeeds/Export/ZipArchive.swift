import CMinizip
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

/// ZIP files of folders: names in UTF-8, Zip64 where it is needed, images stored as they are.
enum ZipArchive {
  /// General purpose bit 11: the name is UTF-8. Source: PKWARE APPNOTE 6.3.10, 4.4.4.
  private static let utf8Flag: uLong = 1 << 11
  /// Version 4.5 of the format (Zip64), made on Unix.
  private static let madeBy: uLong = 3 << 8 | 45
  private static let compressedEndings = ["html", "json", "txt"]

  /// Writes all files of a folder and of those in it, ordered by name.
  ///
  /// Equal files give equal bytes: a file's time is the day that its path begins with, and else the
  /// newest of those.
  ///
  /// - Parameter comment: What ``comment(of:)`` then returns.
  /// - Throws: `ImageError` with code `storeFailed` or `diskFull`.
  static func write(
    _ folder: String, to path: String, comment: String
  ) throws(ImageError) {
    let paths: [String] = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    let names = paths.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let newest = names.compactMap { DayKey(String($0.prefix(8))) }.max()
    guard let zip = zipOpen64(path, APPEND_STATUS_CREATE) else { throw ExportFile.failure(path) }
    var failure: ImageError?
    for name in names where failure == nil {
      let file = "\(folder)/\(name)"
      guard let facts = ExportFile.facts(file), facts.st_mode & S_IFMT == S_IFREG else { continue }
      let day = DayKey(String(name.prefix(8))) ?? newest
      do throws(ImageError) {
        try add(file, as: name, byteCount: Int(facts.st_size), on: day, to: zip)
      } catch {
        failure = ImageError(
          error.code, "cannot write \(path): \(name): \(error.message)")
      }
    }
    let isClosed = zipClose(zip, comment) == ZIP_OK
    if let failure { throw failure }
    guard isClosed else { throw ExportFile.failure(path) }
  }

  private static func add(
    _ file: String, as name: String, byteCount: Int, on day: DayKey?, to zip: zipFile
  ) throws(ImageError) {
    var info = zip_fileinfo()
    // Zip begins with 1980.
    if let parts = day?.parts, parts.year >= 1980 {
      info.tmz_date.tm_year = uInt(parts.year)
      info.tmz_date.tm_mon = uInt(parts.month - 1)
      info.tmz_date.tm_mday = uInt(parts.day)
    } else {
      info.dosDate = 1 << 21 | 1 << 16
    }
    info.external_fa = uLong(S_IFREG | 0o644) << 16
    let isCompressed = compressedEndings.contains { name.hasSuffix(".\($0)") }
    guard
      zipOpenNewFileInZip4_64(
        zip, name, &info, nil, 0, nil, 0, nil, isCompressed ? Z_DEFLATED : 0,
        isCompressed ? Z_DEFAULT_COMPRESSION : 0, 0, -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY,
        nil, 0, madeBy, utf8Flag, byteCount >= Int(UInt32.max) ? 1 : 0) == ZIP_OK
    else { throw ExportFile.failure(file) }
    do throws(ImageError) {
      try ExportFile.read(file) { bytes throws(ImageError) in
        guard zipWriteInFileInZip(zip, bytes.baseAddress, UInt32(bytes.count)) == ZIP_OK else {
          throw ExportFile.failure(file)
        }
      }
    } catch {
      zipCloseFileInZip(zip)
      throw error
    }
    guard zipCloseFileInZip(zip) == ZIP_OK else { throw ExportFile.failure(file) }
  }

  // MARK: Reading

  /// The comment of a ZIP file; `nil` for a file that is none.
  static func comment(of path: String) -> String? {
    guard let zip = unzOpen64(path) else { return nil }
    defer { unzClose(zip) }
    var info = unz_global_info64()
    guard unzGetGlobalInfo64(zip, &info) == UNZ_OK else { return nil }
    var comment = [CChar](repeating: 0, count: Int(min(info.size_comment, 1024)) + 1)
    guard unzGetGlobalComment(zip, &comment, uLong(comment.count)) >= 0 else { return nil }
    return String(decoding: comment.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Writes the files of a ZIP file into a new folder.
  ///
  /// - Throws: `ImageError` with code `storeFailed` for a damaged file, for a name that leads
  ///   elsewhere and for a symbolic link, or `diskFull`.
  static func extract(_ path: String, to folder: String) throws(ImageError) {
    func damaged(_ reason: String) -> ImageError {
      ImageError(
        .storeFailed, "cannot add to \(path): \(reason); export to another file, or remove this one"
      )
    }
    guard let zip = unzOpen64(path) else { throw damaged("it is damaged") }
    defer { unzClose(zip) }
    var status = unzGoToFirstFile(zip)
    while status == UNZ_OK {
      var info = unz_file_info64()
      var room = [CChar](repeating: 0, count: 4096)
      guard
        unzGetCurrentFileInfo64(zip, &info, &room, uLong(room.count - 1), nil, 0, nil, 0) == UNZ_OK
      else { throw damaged("it is damaged") }
      let bytes = room.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      let name = String(decoding: bytes, as: UTF8.self)
      let isLink = mode_t(truncatingIfNeeded: info.external_fa >> 16) & S_IFMT == S_IFLNK
      let parts = name.split(separator: "/", omittingEmptySubsequences: false)
      guard !isLink, info.size_filename == bytes.count, name.utf8.elementsEqual(bytes),
        parts.dropLast().allSatisfy({ !["", ".", ".."].contains($0) }),
        ![".", ".."].contains(parts.last), !name.contains("\\")
      else { throw damaged("its entry \(name) cannot be kept") }
      let parent = parts.dropLast().joined(separator: "/")
      try ExportFile.makeFolder("\(folder)/\(parent)")
      // A folder's own entry ends with a slash.
      if parts.last?.isEmpty == false {
        guard try extractFile(of: zip, to: "\(folder)/\(name)") else {
          throw damaged("its entry \(name) is damaged")
        }
      }
      status = unzGoToNextFile(zip)
    }
    guard status == UNZ_END_OF_LIST_OF_FILE else { throw damaged("it is damaged") }
  }

  /// Writes the current entry; `false` if it is damaged.
  private static func extractFile(of zip: unzFile, to path: String) throws(ImageError) -> Bool {
    guard unzOpenCurrentFile(zip) == UNZ_OK else { return false }
    var room = [UInt8](repeating: 0, count: 1 << 16)
    var count: Int32 = 1
    do throws(ImageError) {
      try ExportFile.create(path) { () throws(ImageError) in
        count = unzReadCurrentFile(zip, &room, UInt32(room.count))
        return count > 0 ? room[..<Int(count)] : nil
      }
    } catch {
      unzCloseCurrentFile(zip)
      throw error
    }
    // Closing compares the checksum.
    return unzCloseCurrentFile(zip) == UNZ_OK && count == 0
  }
}
