import ArgumentParser
import ImageModel
import TextEncodings

struct LimitOptions: ParsableArguments {
  @Option(help: .value("n", "Pixels of an image (default: 100 million).")) var maxPixels: Int?
  @Option(help: .value("n", "Pixels of a side (default: 65535).")) var maxSide: Int?
  @Option(help: .value("n", "Frames of an animation (default: 10000).")) var maxFrames: Int?

  @Option(help: .value("n", "Pixels of all frames together (default: 2000 million)."))
  var maxAnimationPixels: Int?

  @Option(help: .value("n", "Scans of a progressive JPEG (default: 100).")) var maxScans: Int?

  @Option(help: .value("bytes", "Bytes of a file (default: 64 MiB)."))
  var maxFileBytes: ByteQuantity?

  @Option(help: .value("bytes", "Memory of this process (default: 768 MiB)."))
  var maxMemory: ByteQuantity?

  @Option(
    name: .customLong("max-cpu"),
    help: .value("duration", "Processor time of one decode (default: 10 s)."),
    transform: TimeQuantity.positive)
  var maximumProcessorTime: TimeQuantity?

  func validate() throws {
    let counts = [maxPixels, maxSide, maxFrames, maxAnimationPixels, maxScans]
    try require(counts.allSatisfy({ $0 ?? 1 > 0 }), "limits are positive numbers")
  }

  /// The memory of the process without the file and the pixels: the program and its libraries.
  private static let ownMemory = 48 << 20

  func limits(fileByteCount: Int = 0) throws(ImageError) -> ImageLimits {
    var limits = ImageLimits()
    limits.maximumPixels = maxPixels ?? limits.maximumPixels
    limits.maximumSide = maxSide ?? limits.maximumSide
    limits.maximumFrames = maxFrames ?? limits.maximumFrames
    limits.maximumAnimationPixels = maxAnimationPixels ?? limits.maximumAnimationPixels
    limits.maximumProgressiveScans = maxScans ?? limits.maximumProgressiveScans
    limits.maximumByteCount = maxFileBytes?.count ?? limits.maximumByteCount
    limits.maximumProcessorTime = maximumProcessorTime?.duration ?? limits.maximumProcessorTime
    let memory = maxMemory?.count ?? 768 << 20
    let taken = Self.ownMemory + fileByteCount
    guard memory > taken else {
      let bytes = Measure.bytes(taken, over: memory)
      throw ImageError(
        .limitExceeded,
        """
        --max-memory \(bytes.limit) is too little: the program and the file take \
        \(bytes.count), and the pixels come on top
        """)
    }
    limits.maximumMemoryByteCount = memory - taken
    return limits
  }
}
