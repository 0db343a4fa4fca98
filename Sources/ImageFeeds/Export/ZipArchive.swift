import CMinizip
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

/// ZIP files of folders: names in UTF-8, Zip64 where it is needed, images stored as they are.
enum ZipArchive {
  /// General purpose bit 11: the name is UTF-8. Source: PKWARE APPNOTE 6.3.10, 4.4.4.
  private static let utf8Flag: uLong = 1 << 11
  /// Version 4.5 of the format (Zip64), made on Unix.
  private static let madeBy: uLong = 3 << 8 | 45
  private static let compressedEndings = [
    "css", "html", "json", "ncx", "opf", "txt", "xhtml", "xml",
  ]

  /// Writes all files of a folder and of those in it, ordered by name.
  ///
  /// Equal files give equal bytes: a file's time is the day that its path begins with, and else the
  /// newest of those.
  ///
  /// - Parameter first: The name of a file that precedes all others. Default: none.
  static func write(
    _ folder: String, to path: String, comment: String, first: String? = nil
  ) throws(ImageError) {
    let paths: [String] = (try? FileManager.default.subpathsOfDirectory(atPath: folder)) ?? []
    let names = paths.sorted {
      $0 == first || $1 != first && $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    let newest = names.compactMap { DayKey(String($0.prefix(8))) }.max()
    guard let zip = zipOpen64(path, APPEND_STATUS_CREATE) else { throw ExportFile.failure(path) }
    var failure: ImageError?
    var count = 0
    for name in names where failure == nil {
      let file = "\(folder)/\(name)"
      guard let facts = ExportFile.facts(file), facts.st_mode & S_IFMT == S_IFREG else { continue }
      let day = DayKey(String(name.prefix(8))) ?? newest
      do throws(ImageError) {
        try add(file, as: name, byteCount: Int(facts.st_size), on: day, to: zip)
        count += 1
      } catch {
        failure = error.withMessage("cannot write \(path): \(name): \(error.message)")
      }
    }
    let isClosed = zipClose(zip, comment) == ZIP_OK
    if let failure { throw failure }
    guard isClosed else { throw ExportFile.failure(path) }
    if count >= UInt16.max { try addRecords(of: count, to: path, comment: comment) }
  }

  /// Adds the Zip64 records for more entries than 16 bits count: minizip 1.1, Debian's, writes them
  /// for files beyond 4 GiB only. Source: PKWARE APPNOTE 6.3.10, 4.3.14 and 4.3.15.
  private static func addRecords(
    of count: Int, to path: String, comment: String
  ) throws(ImageError) {
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { throw ExportFile.failure(path) }
    defer { close(file) }
    guard let (end, place) = end(of: file, 20 + 22 + comment.utf8.count) else {
      throw ExportFile.failure(path)
    }
    // The second of the records is there already.
    if end.starts(with: [0x50, 0x4B, 6, 7]) { return }
    let none: [UInt8] = [0, 0, 0, 0]
    var records: [UInt8] = [0x50, 0x4B, 6, 6] + bytes(UInt64(44))
    records += bytes(UInt16(truncatingIfNeeded: madeBy)) + bytes(UInt16(45)) + none + none
    records += bytes(UInt64(count)) + bytes(UInt64(count))
    // The size of the directory, and where it begins.
    records += end[32..<36] + none + end[36..<40] + none
    records += [0x50, 0x4B, 6, 7] + none + bytes(UInt64(place + 20)) + bytes(UInt32(1))
    records += end[20...]
    guard pwrite(file, records, records.count, place + 20) == records.count else {
      throw ExportFile.failure(path)
    }
  }

  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.littleEndian, Array.init)
  }

  private static func end(of file: Int32, _ count: Int) -> (bytes: [UInt8], place: off_t)? {
    var bytes = [UInt8](repeating: 0, count: count)
    let place = lseek(file, -off_t(count), SEEK_END)
    return place >= 0 && pread(file, &bytes, count, place) == count ? (bytes, place) : nil
  }

  private static func add(
    _ file: String, as name: String, byteCount: Int, on day: DayKey?, to zip: zipFile
  ) throws(ImageError) {
    var info = zip_fileinfo()
    // Zip begins with 1980.
    if let parts = day?.parts, parts.year >= 1980 {
      // Of type uInt before minizip 1.3, int since.
      info.tmz_date.tm_year = .init(parts.year)
      info.tmz_date.tm_mon = .init(parts.month - 1)
      info.tmz_date.tm_mday = .init(parts.day)
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

  /// Whether a file ends as a ZIP file with a comment does.
  ///
  /// Read here: minizip reads none from a file with Zip64 records.
  static func hasComment(_ comment: String, _ path: String) -> Bool {
    let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    defer { close(file) }
    guard let (end, _) = end(of: file, 22 + comment.utf8.count) else { return false }
    return end.starts(with: [0x50, 0x4B, 5, 6])
      && end[20...].elementsEqual(bytes(UInt16(comment.utf8.count)) + comment.utf8)
  }

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
      let shown = name.prefix(100)
      let isLink = mode_t(truncatingIfNeeded: info.external_fa >> 16) & S_IFMT == S_IFLNK
      let parts = name.split(separator: "/", omittingEmptySubsequences: false)
      guard !isLink, info.size_filename == bytes.count, name.utf8.elementsEqual(bytes),
        parts.dropLast().allSatisfy({ !["", ".", ".."].contains($0) }),
        ![".", ".."].contains(parts.last), !name.contains("\\")
      else { throw damaged("its entry \(shown) cannot be kept") }
      let parent = parts.dropLast().joined(separator: "/")
      do throws(ImageError) {
        try ExportFile.makeFolder("\(folder)/\(parent)")
        // A folder's own entry ends with a slash.
        if parts.last?.isEmpty == false { try extractFile(of: zip, as: name, in: folder) }
      } catch  where error.code != .diskFull {
        // Such as the same name twice, or a file in place of a folder.
        let isDamaged = error.code == .corrupt
        throw damaged("its entry \(shown) \(isDamaged ? "is damaged" : "cannot be kept")")
      }
      status = unzGoToNextFile(zip)
    }
    guard status == UNZ_END_OF_LIST_OF_FILE else { throw damaged("it is damaged") }
  }

  private static func extractFile(
    of zip: unzFile, as name: String, in folder: String
  ) throws(ImageError) {
    let path = "\(folder)/\(name)"
    let file = try AtomicFile(in: folder, path: path)
    var room = [UInt8](repeating: 0, count: 1 << 16)
    var count = unzOpenCurrentFile(zip) == UNZ_OK ? Int32(1) : -1
    while count > 0 {
      count = unzReadCurrentFile(zip, &room, UInt32(room.count))
      try file.write(room.span.extracting(first: Int(max(0, count))).bytes)
    }
    // Closing compares the checksum.
    guard unzCloseCurrentFile(zip) == UNZ_OK, count == 0 else { throw ImageError(.corrupt, path) }
    guard try file.publish(as: name, path: path, isReplacing: false) else {
      throw ImageError(.storeFailed, "\(path) exists")
    }
  }
}
