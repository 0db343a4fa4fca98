import Foundation
import ImageCodecs
import ImageModel

// Makes a PNG of a binary PPM, a format that the library does not have:  CustomCodec A.ppm A.png
struct PPMCodec: ImageCodec {
  let format = ImageFormat(rawValue: "x-portable-pixmap")
  func recognition(of head: RawSpan) -> ImageRecognition {
    ImageSignature("P6\n").recognition(of: head)
  }

  func info(
    of bytes: RawSpan, check: ImageCheck, limits: ImageLimits
  ) throws(ImageError) -> ImageInfo {
    let size = try bytes.withUnsafeBytes { (raw) throws(ImageError) in
      try PPMRows(raw, limits: limits).size
    }
    return ImageInfo(format: format, size: size, colorModel: .rgb)
  }

  func rows(
    of bytes: UnsafeRawBufferPointer, request: RowRequest, limits: ImageLimits
  ) throws(ImageError) -> any RowReading { try PPMRows(bytes, limits: limits) }
}

final class PPMRows: RowReading {
  let size: PixelSize
  private var samples: UnsafeRawBufferPointer.SubSequence  // red, green, blue of each pixel
  init(_ bytes: UnsafeRawBufferPointer, limits: ImageLimits) throws(ImageError) {
    let head = bytes.prefix(64).split(maxSplits: 4) { $0 == 0x0A || $0 == 0x20 }
    let numbers = head.dropFirst().prefix(3).map { Int(String(decoding: $0, as: UTF8.self)) ?? 0 }
    guard head.count == 5, numbers[0] > 0, numbers[1] > 0, numbers[2] == 255
    else { throw ImageError(.corrupt, "PPM: no header with width, height and 255") }
    size = PixelSize(width: numbers[0], height: numbers[1])
    guard max(size.width, size.height) <= limits.maximumSide,
      size.pixelCount <= limits.maximumPixels
    else { throw ImageError(.limitExceeded, "PPM: \(size) is too large") }
    samples = bytes[head[4].startIndex...]
    if samples.count < 3 * size.pixelCount { throw ImageError(.truncated, "PPM: pixels missing") }
  }

  func read(_ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int) {
    let rows = min(count - done, samples.count / (3 * size.width))
    for pixel in done * size.width..<(done + rows) * size.width {
      for channel in 0..<3 { room[4 * pixel + channel] = samples.removeFirst() }
      room[4 * pixel + 3] = 255
    }
    done += rows
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
