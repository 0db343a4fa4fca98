import CPeers
import Foundation
import ImagePipeline

// usage: codec-bench jpeg|png|gif DIR
//        codec-bench thumb DIR WxH [THREADS]
//        codec-bench thumb-to OUT-DIR WxH jpeg|png FILE...

/// Runs both sides by turns, several rounds of each, and prints images per processor second.
func compare(_ files: Files, rounds: Int, _ sides: [(String, ([UInt8]) -> Void)]) {
  for (_, body) in sides { files.contents.prefix(3).forEach(body) }
  var rates = sides.map { _ in [Double]() }
  for _ in 0..<rounds {
    for (index, side) in sides.enumerated() {
      let began = Stopwatch.processorSeconds(ofThread: true)
      files.contents.forEach(side.1)
      let spent = Stopwatch.processorSeconds(ofThread: true) - began
      rates[index].append(Double(files.contents.count) / spent)
    }
  }
  let medians = rates.map { $0.sorted()[$0.count / 2] }
  for (index, side) in sides.enumerated() {
    let sorted = rates[index].sorted()
    print(
      "\(side.0)\t\(Int(medians[index])) images/cpu-s (\(Int(sorted.first ?? 0))–\(Int(sorted.last ?? 0)))"
        + (index > 0
          ? "\tratio to \(sides[0].0): \((medians[index] / medians[0] * 1000).rounded() / 1000)"
          : ""))
  }
}

func thumbnails(_ files: Files, _ box: String, threads: Int) {
  let sides = box.split(separator: "x").compactMap { Int($0) }
  let recipe = ThumbnailRecipe(size: PixelSize(width: sides[0], height: sides[1]))
  for bytes in files.contents.prefix(3) {
    _ = try? ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)
  }
  let rounds = max(1, 400 / files.contents.count)
  let cpu = Stopwatch.processorSeconds(ofThread: false)
  let wall = Stopwatch.wallSeconds()
  DispatchQueue.concurrentPerform(iterations: threads) { worker in
    for _ in 0..<rounds {
      for index in stride(from: worker, to: files.contents.count, by: threads) {
        let bytes = files.contents[index]
        _ = try? ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)
      }
    }
  }
  let count = Double(rounds * files.contents.count)
  let spent = Stopwatch.processorSeconds(ofThread: false) - cpu
  let passed = Stopwatch.wallSeconds() - wall
  print(
    "thumb \(box) t=\(threads)\t\(Int(count / spent)) images/cpu-s\t\(Int(count / passed)) images/s"
  )
}

/// Writes the thumbnail of each file, for others to look at.
func writeThumbnails(to folder: String, _ box: String, _ format: String, _ paths: [String]) throws {
  let sides = box.split(separator: "x").compactMap { Int($0) }
  var recipe = ThumbnailRecipe(size: PixelSize(width: sides[0], height: sides[1]), fit: .inside)
  recipe.format = format == "png" ? .png : .jpeg
  for path in paths {
    let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    let made = try ImageCodecs.thumbnail(of: bytes.span.bytes, recipe: recipe)
    let name = URL(fileURLWithPath: path).lastPathComponent + "." + format
    try Data(made.bytes).write(to: URL(fileURLWithPath: folder).appendingPathComponent(name))
  }
}

let arguments = CommandLine.arguments
if arguments.count > 5, arguments[1] == "thumb-to" {
  try writeThumbnails(
    to: arguments[2], arguments[3], arguments[4], Array(arguments.dropFirst(5)))
  exit(0)
}
guard arguments.count >= 3 else {
  print(
    "usage: codec-bench jpeg|png|gif DIR | thumb DIR WxH [THREADS] | thumb-to OUT WxH FORMAT FILE..."
  )
  exit(64)
}
let files = try Files(in: arguments[2])
let rounds = max(5, 400 / max(1, files.contents.count))
let decode: ([UInt8]) -> Void = { bytes in
  guard (try? ImageCodecs.decode(bytes.span.bytes)) != nil else { print("a file failed"); return }
}

switch arguments[1] {
case "jpeg":
  compare(
    files, rounds: rounds,
    [
      ("libjpeg-turbo", { _ = peer_jpeg_decode($0, $0.count) }), ("ImageCodecs.decode", decode),
      ("check decode", { _ = try? ImageCodecs.check($0.span.bytes, level: .decode) }),
      ("check structure", { _ = try? ImageCodecs.check($0.span.bytes, level: .structure) }),
    ])
case "png":
  compare(
    files, rounds: rounds,
    [
      ("libpng", { _ = peer_png_decode($0, $0.count) }), ("ImageCodecs.decode", decode),
      ("check decode", { _ = try? ImageCodecs.check($0.span.bytes, level: .decode) }),
      ("check structure", { _ = try? ImageCodecs.check($0.span.bytes, level: .structure) }),
    ])
case "gif":
  compare(
    files, rounds: rounds,
    [
      ("DGifSlurp + drawing", { _ = peer_gif_decode($0, $0.count) }),
      (
        "FrameReader",
        { bytes in
          guard let reader = try? FrameReader(bytes.span.bytes) else { return }
          while (try? reader.next(of: bytes.span.bytes)) != nil {}
        }
      ),
      ("check decode", { _ = try? ImageCodecs.check($0.span.bytes, level: .decode) }),
      ("check structure", { _ = try? ImageCodecs.check($0.span.bytes, level: .structure) }),
    ])
case "thumb":
  thumbnails(files, arguments[3], threads: arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1)
default:
  print("unknown: \(arguments[1])")
}
