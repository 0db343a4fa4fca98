import Foundation
import ImageCodecs
import ImageModel

/// Makes thumbnails of the files of a folder in memory, repeatedly; `thumbnails/peers` compares
/// it with others.
///
///     ThumbnailDriver FOLDER FORMAT    FORMAT is jpeg or webp; 200x200, quality 80
///
/// For each line of standard input it makes one pass over all files and prints the processor time
/// in seconds and the bytes made. Nothing is written, and it uses one thread.
@main
struct ThumbnailDriver {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count == 3 else {
      FileHandle.standardError.write(Data("usage: ThumbnailDriver FOLDER jpeg|webp\n".utf8))
      exit(2)
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: arguments[1]).sorted().map {
      [UInt8](try Data(contentsOf: URL(fileURLWithPath: arguments[1] + "/" + $0)))
    }
    var recipe = ThumbnailRecipe(size: PixelSize(width: 200, height: 200))
    recipe.format = ImageFormat(rawValue: arguments[2])
    while readLine() != nil {
      let start = processorTime()
      var byteCount = 0
      for file in files {
        byteCount += try ImageCodecs.thumbnail(of: file.span.bytes, recipe: recipe).bytes.count
      }
      print(processorTime() - start, byteCount)
      fflush(nil)
    }
  }

  private static func processorTime() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
