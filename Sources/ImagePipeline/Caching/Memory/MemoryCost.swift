/// What decoded pictures cost in memory.
public enum MemoryCost {
  /// The bytes of pixels of all pictures; those whose samples are the same memory count once, as the frames of
  /// an animation do that repeat each other.
  public static func byteCount(of pictures: some Sequence<PixelBuffer>) -> Int {
    var seen: Set<UInt> = []
    var sum = 0
    for picture in pictures {
      let address = picture.bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
      if seen.insert(address).inserted { sum += picture.bytes.count }
    }
    return sum
  }
}
