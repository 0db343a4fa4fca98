import Foundation
import ImageCodecs
import ImageModel

// Makes a PNG of a binary PPM, a format that the library does not have:  CustomCodec A.ppm A.png
struct PPMCodec: WholeImageCodec {
  let format = ImageFormat(rawValue: "x-portable-pixmap")
  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageSignature("P6\n").recognition(of: head)
  }

  func size(of bytes: RawSpan) throws(ImageError) -> PixelSize { try header(of: bytes).size }

  func decode(_ bytes: RawSpan) throws(ImageError) -> PixelBuffer {
    let (size, start) = try header(of: bytes)
    let rgb = bytes.withUnsafeBytes { [UInt8]($0[start...]) }
    if rgb.count / 3 < size.pixelCount { throw ImageError(.truncated, "PPM: pixels missing") }
    let rgba = (0..<size.pixelCount).flatMap { rgb[3 * $0..<3 * $0 + 3] + [255] }
    return PixelBuffer(size: size, bytes: rgba)
  }

  private func header(of bytes: RawSpan) throws(ImageError) -> (size: PixelSize, end: Int) {
    let head = bytes.withUnsafeBytes { [UInt8]($0.prefix(64)) }
    let parts = head.split(maxSplits: 4) { $0 == 0x0A || $0 == 0x20 }
    let numbers = parts.dropFirst().prefix(3).map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    guard parts.count == 5, numbers[2] == 255
    else { throw ImageError(.corrupt, "PPM: no header with width, height and 255") }
    return (PixelSize(width: numbers[0], height: numbers[1]), parts[4].startIndex)
  }
}

guard CommandLine.arguments.count == 3 else {
  print("usage: CustomCodec A.ppm A.png")
  exit(64)
}
ImageCodecs.register(PPMCodec())  // from here on pipelines, feeds and servers have it, too
do {
  let file = try [UInt8](Data(contentsOf: URL(filePath: CommandLine.arguments[1])))
  let png = try ImageCodecs.encodePNG(ImageCodecs.decode(file.span.bytes))
  try Data(png).write(to: URL(filePath: CommandLine.arguments[2]))
} catch {
  print("error: \(error)")
  exit(1)
}
