/// The cost of decoded images in memory.
public enum MemoryCost {
  /// The bytes of pixels of all images; samples that share memory count once, such as those of
  /// repeated frames of an animation.
  public static func byteCount(of images: some Sequence<PixelBuffer>) -> Int {
    var seen: Set<UnsafePointer<UInt8>?> = []
    var sum = 0
    for image in images {
      let address = image.bytes.withUnsafeBufferPointer { $0.baseAddress }
      if seen.insert(address).inserted { sum += image.bytes.count }
    }
    return sum
  }
}
