import Foundation

/// The files of a folder, all in memory.
struct Files {
  let contents: [[UInt8]]

  init(in folder: String) throws {
    contents = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().map {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: folder + "/" + $0)))
    }
  }
}
