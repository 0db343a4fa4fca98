import Foundation
import ImagePipeline

guard CommandLine.arguments.count == 2 else {
  print("usage: TerminalImage URL|FILE")
  exit(64)
}
var configuration = try ImagePipeline.Configuration.client(directory: "cache")
configuration.readsLocalFiles = true
let pipeline = try ImagePipeline(configuration)

// On the screen: two pixels a character, one as its colour, one as its background.
var request = ImageRequest(url: CommandLine.arguments[1])
let box = PixelSize(width: 80, height: 80)
request.thumbnail = ThumbnailRecipe(size: box, fit: .inside)
let image: PixelBuffer
do {
  image = try await pipeline.image(for: request).image
} catch {
  print("error: \(error)")
  exit(1)
}
for y in stride(from: 0, to: image.height - 1, by: 2) {
  var line = ""
  for x in 0..<image.width {
    let (upper, lower) = (image.pixel(x: x, y: y), image.pixel(x: x, y: y + 1))
    line += "\u{1B}[38;2;\(upper.red);\(upper.green);\(upper.blue)m"
    line += "\u{1B}[48;2;\(lower.red);\(lower.green);\(lower.blue)m▀"
  }
  print(line + "\u{1B}[0m")
}

// In a file: a JPEG that fills 200x150.
request.thumbnail = ThumbnailRecipe(size: PixelSize(width: 200, height: 150), format: .jpeg)
let thumbnail = try await pipeline.data(for: request)
try Data(thumbnail.bytes()).write(to: URL(fileURLWithPath: "thumbnail.jpg"))
print("thumbnail.jpg: \(thumbnail.byteCount) bytes, from \(thumbnail.source)")
await pipeline.close()
