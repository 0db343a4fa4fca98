import ImagePipeline

/// Numbers keys as they come and gathers requests.
///
/// Keys are told apart by 64 bits: numbers as they are, words by their hash. Two of a million words share a hash once in
/// forty million traces.
struct TraceBuilder {
  private let name: String
  private let path: String?
  private let sampleRate: Double
  /// Keys whose hash is lower belong to the sample.
  private let threshold: UInt64
  private var numbers: [UInt64: UInt32] = [:]
  private var keys: [UInt32] = []
  private var sizes: [Int] = []
  /// The last size above 0 of each key; before there is one, how many requests wait for it, as a number below 0.
  private var knownSizes: [Int] = []
  private var hasUnknownSizes = false
  /// Bytes of all requests, those included whose size was learned later.
  private var byteCount = 0
  private var requestCount = 0
  /// Bytes of all requests before thinning, as far as their sizes are known.
  private var fullByteCount = 0

  /// Requests are numbered with 32 bits.
  static let maximumCount = Int(UInt32.max) - 1
  /// What the sizes of all requests may sum up to, 1 EiB: whatever is later made of them, no sum of sizes overflows.
  static let maximumByteCount = 1 << 60
  var count: Int { keys.count }

  init(name: String, path: String? = nil, sampleRate: Double) {
    self.name = name
    self.path = path
    self.sampleRate = min(1, max(0, sampleRate))
    let scaled = self.sampleRate * 0x1p64
    threshold = scaled >= 0x1p64 ? .max : UInt64(scaled)
  }

  /// Takes a request whose key is a word; see ``add(number:size:)``.
  @discardableResult
  mutating func add(text: UnsafeRawBufferPointer, size: Int) -> Bool {
    // Leading zeros make another word of the same number.
    if let number = TraceFields.number(text), text.count == 1 || text[0] != 48 {
      return add(number: number, size: size)
    }
    // FNV-1a; the highest bit sets words apart from the numbers that traces have.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return add(number: Self.mixed(hash) | 1 << 63, size: size)
  }

  /// Takes a request, or leaves it out where its key is not of the sample.
  ///
  /// - Parameter size: In bytes; 0 where it is not known.
  /// - Returns: `false`, and takes nothing, where the sizes would sum up to more than ``maximumByteCount``.
  @discardableResult
  mutating func add(number: UInt64, size: Int) -> Bool {
    requestCount += 1
    if sampleRate < 1 {
      let (sum, isTooMuch) = fullByteCount.addingReportingOverflow(size)
      if isTooMuch || sum > Self.maximumByteCount { return false }
      fullByteCount = sum
    }
    if threshold != .max, Self.mixed(number) >= threshold { return true }
    let next = UInt32(truncatingIfNeeded: knownSizes.count)
    let key = numbers[number] ?? next
    let known = key == next ? 0 : knownSizes[Int(key)]
    // A recorded miss has no size yet: the object is as large as it was before, or will be.
    let ownSize = size > 0 ? size : max(0, known)
    let waiting = size > 0 ? max(0, -known) : 0
    let (learned, isTooMuch) = ownSize.multipliedReportingOverflow(by: waiting + 1)
    if isTooMuch || learned > Self.maximumByteCount - byteCount { return false }
    byteCount += learned
    if key == next {
      numbers[number] = key
      knownSizes.append(0)
    }
    if size > 0 {
      knownSizes[Int(key)] = size
    } else if known <= 0 {
      knownSizes[Int(key)] = known - 1
      hasUnknownSizes = true
    }
    keys.append(key)
    sizes.append(ownSize)
    return true
  }

  func finished() -> Trace {
    var sizes = sizes
    if hasUnknownSizes {
      var later = [Int](repeating: 0, count: knownSizes.count)
      for index in sizes.indices.reversed() {
        let key = Int(keys[index])
        if sizes[index] == 0 { sizes[index] = later[key] } else { later[key] = sizes[index] }
      }
    }
    return Trace(
      name: name, path: path, keys: keys, sizes: sizes,
      thinning: Trace.Thinning(
        rate: sampleRate, requestCount: requestCount,
        byteCount: hasUnknownSizes ? nil : fullByteCount))
  }

  private static func mixed(_ number: UInt64) -> UInt64 {
    var random = SplitMix64(seed: number)
    return random.next()
  }
}
