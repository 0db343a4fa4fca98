import Foundation
import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import imgcache
@testable import TestSupport

@Suite struct `A folder of frames` {
  @Test func `has each frame under its number, raw or as a PNG`() throws {
    let scratch = try Scratch()
    let image = SampleImages.gradient(5, 3)
    let raw = try FrameFolder(scratch / "raw", format: .rgba)
    let png = try FrameFolder(scratch / "png", format: .png)

    let names = try [
      raw.write(image, index: 7), raw.write(image, index: 123_456), png.write(image, index: 0),
    ]

    #expect(names == ["00007.rgba", "123456.rgba", "00000.png"])
    let bytes = try scratch.bytes(of: "raw/00007.rgba")
    #expect(bytes.count == 4 * 5 * 3)
    for y in 0..<3 {
      for x in 0..<5 {
        let start = 4 * (5 * y + x)
        #expect(Array(bytes[start..<start + 4]) == Array(image[x, y]))
      }
    }
    let written = try scratch.bytes(of: "png/00000.png")
    let source = try FrameSource(written, limits: ImageLimits())
    #expect(source.info.size == image.size)
    #expect(try source.frame(0, scaledTo: image.size).bytes == image.bytes)
  }

  @Test func `may exist, and a longer frame of an earlier call leaves nothing behind`() throws {
    let scratch = try Scratch()
    let path = scratch / "frames"

    _ = try FrameFolder(path, format: .rgba).write(SampleImages.gradient(9, 9), index: 0)
    _ = try FrameFolder(path, format: .rgba).write(SampleImages.gradient(2, 2), index: 0)

    #expect(try scratch.bytes(of: "frames/00000.rgba").count == 16)
  }

  @Test func `that cannot be created or written to is an error with its name`() throws {
    let scratch = try Scratch()
    let below = scratch / "absent/frames"
    try FileManager.default.createDirectory(
      atPath: scratch / "00000.rgba", withIntermediateDirectories: false)
    let folder = try FrameFolder(scratch.path, format: .rgba)

    let absent = #expect(throws: ImageError.self) { try FrameFolder(below, format: .png) }
    let taken = #expect(throws: ImageError.self) {
      try folder.write(SampleImages.gradient(1, 1), index: 0)
    }

    #expect(absent?.message.contains("cannot make the folder \(below)") == true)
    #expect(taken?.message.contains("cannot write \(scratch / "00000.rgba")") == true)
  }
}

@Suite struct `The frames of an image that is shown` {
  @Test func `are scaled to any size, and there is none behind the last`() throws {
    let png = try ImageCodecs.encodePNG(
      SampleImages.gradient(6, 4), options: EncodingOptions(level: 1))
    let source = try FrameSource(png, limits: ImageLimits())

    for size in [PixelSize(width: 1, height: 1), PixelSize(width: 30, height: 7)] {
      #expect(try source.frame(0, scaledTo: size).size == size)
    }
    let error = #expect(throws: ImageError.self) {
      try source.frame(1, scaledTo: PixelSize(width: 1, height: 1))
    }
    #expect(error?.code == .invalidArgument)
  }
}
