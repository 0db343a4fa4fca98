import ArgumentParser
import ImagePipeline

/// What an input may cost before it is refused.
struct LimitOptions: ParsableArguments {
  @Option(
    name: .customLong("max-pixels"),
    help: ArgumentHelp("Pixels of one picture (default: 100 million).", valueName: "n"))
  var maximumPixels: Int?

  @Option(
    name: .customLong("max-side"),
    help: ArgumentHelp("Pixels a side (default: 65535).", valueName: "n"))
  var maximumSide: Int?

  @Option(
    name: .customLong("max-frames"),
    help: ArgumentHelp("Frames of an animation (default: 10000).", valueName: "n"))
  var maximumFrames: Int?

  @Option(
    name: .customLong("max-animation-pixels"),
    help: ArgumentHelp("Canvas times frames (default: 2000 million).", valueName: "n"))
  var maximumAnimationPixels: Int?

  @Option(
    name: .customLong("max-scans"),
    help: ArgumentHelp("Scans of a progressive JPEG (default: 100).", valueName: "n"))
  var maximumScans: Int?

  @Option(
    name: .customLong("max-file-bytes"),
    help: ArgumentHelp("Bytes of the file (default: 64 MiB).", valueName: "bytes"))
  var maximumFileBytes: ByteQuantity?

  @Option(
    name: .customLong("max-memory"),
    help: ArgumentHelp("Memory of this process (default: 768 MiB).", valueName: "bytes"))
  var maximumMemory: ByteQuantity?

  @Option(
    name: .customLong("max-cpu"),
    help: ArgumentHelp("Processor time of one decode (default: 10 s).", valueName: "duration"))
  var maximumProcessorTime: TimeQuantity?

  func validate() throws {
    let counts = [
      maximumPixels, maximumSide, maximumFrames, maximumAnimationPixels, maximumScans,
    ]
    guard counts.allSatisfy({ $0 ?? 1 > 0 }) else {
      throw ValidationError("limits are positive numbers")
    }
  }

  /// What the process needs beside the file and the pixels: the program itself and its libraries.
  private static let ownMemory = 48 << 20

  /// The limits for a file of so many bytes, which the memory holds as well.
  func limits(fileByteCount: Int = 0) -> ImageLimits {
    var limits = ImageLimits()
    limits.maximumPixels = maximumPixels ?? limits.maximumPixels
    limits.maximumSide = maximumSide ?? limits.maximumSide
    limits.maximumFrames = maximumFrames ?? limits.maximumFrames
    limits.maximumAnimationPixels = maximumAnimationPixels ?? limits.maximumAnimationPixels
    limits.maximumProgressiveScans = maximumScans ?? limits.maximumProgressiveScans
    limits.maximumByteCount = maximumFileBytes?.count ?? limits.maximumByteCount
    limits.maximumProcessorTime = maximumProcessorTime?.duration ?? limits.maximumProcessorTime
    let memory = maximumMemory?.count ?? 768 << 20
    limits.maximumMemoryByteCount = max(0, memory - Self.ownMemory - fileByteCount)
    return limits
  }
}
