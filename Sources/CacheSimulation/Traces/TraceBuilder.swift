import ImageModel

/// Numbers keys in order of appearance and gathers requests.
///
/// Keys are identified by 64 bits: numbers by their value, words by their hash. Two of a million
/// words share a hash once in forty million traces.
struct TraceBuilder {
  private let name: String
  private let path: String?
  private let sampleRate: Double
  /// Keys whose hash is lower belong to the sample.
  private let threshold: UInt64
  private var times: [Int]?
  private var numbers: [UInt64: UInt32] = [:]
  private var keys: [UInt32] = []
  private var sizes: [Int] = []
  /// The last size above 0 of each key; before there is one, minus the number of requests that wait
  /// for it.
  private var knownSizes: [Int] = []
  private var hasUnknownSizes = false
  private var hasAllSizes = true
  private var byteCount = 0
  private var requestCount = 0
  /// Set for an access log, whose requests for objects of unknown size are left out.
  var log: LogTally?
  /// The bytes of all requests before sampling, as far as their sizes are known.
  private var fullByteCount = 0

  /// Requests are numbered with 32 bits.
  static let maximumCount = Int(UInt32.max) - 1
  /// The limit of the sum of all sizes, 1 EiB, so that no later sum of sizes overflows.
  static let maximumByteCount = 1 << 60
  var count: Int { keys.count }
  var time = 0

  init(name: String, path: String? = nil, sampleRate: Double, keepsTimes: Bool = false) {
    self.name = name
    self.path = path
    times = keepsTimes ? [] : nil
    self.sampleRate = min(1, max(0, sampleRate))
    let scaled = self.sampleRate * 0x1p64
    threshold = scaled >= 0x1p64 ? .max : UInt64(scaled)
  }

  /// Adds a request whose key is a word; see ``add(number:size:)``.
  @discardableResult
  mutating func add(text: UnsafeRawBufferPointer, size: Int) -> Bool {
    // With leading zeros, the same number is another word.
    if let number = TraceFields.number(text), text.count == 1 || text[0] != 48 {
      return add(number: number, size: size)
    }
    // FNV-1a; the highest bit separates words from the numbers that traces have.
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in text { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01b3 }
    return add(number: Self.mixed(hash) | 1 << 63, size: size)
  }

  /// Adds a request, whose size is 0 when it is unknown, or leaves it out when its key is not in
  /// the sample; returns `false`, without adding, when the sum of sizes would exceed
  /// ``maximumByteCount``.
  @discardableResult
  mutating func add(number: UInt64, size: Int) -> Bool {
    requestCount += 1
    if size <= 0 { hasAllSizes = false }
    if sampleRate < 1 {
      let (sum, isTooMuch) = fullByteCount.addingReportingOverflow(size)
      if isTooMuch || sum > Self.maximumByteCount { return false }
      fullByteCount = sum
    }
    if threshold != .max, Self.mixed(number) >= threshold { return true }
    let next = UInt32(truncatingIfNeeded: knownSizes.count)
    let key = numbers[number] ?? next
    let known = key == next ? 0 : knownSizes[Int(key)]
    // A recorded miss has no size: the object has that of an earlier or later request.
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
    times?.append(time)
    return true
  }

  func finished() -> CacheTrace {
    var sizes = sizes
    if hasUnknownSizes {
      var later = [Int](repeating: 0, count: knownSizes.count)
      for index in sizes.indices.reversed() {
        let key = Int(keys[index])
        if sizes[index] == 0 { sizes[index] = later[key] } else { later[key] = sizes[index] }
      }
    }
    var (keys, times, log, requestCount) = (keys, times, log, requestCount)
    if log != nil, sizes.contains(0) {
      let kept = sizes.indices.filter { sizes[$0] > 0 }
      // Of a sample, an estimate for the whole.
      let share = TraceFacts.ratio(kept.count, keys.count)
      let rest = Int((Double(requestCount) * share).rounded())
      log?.unknownSizeCount = requestCount - rest
      requestCount = rest
      var numbers: [UInt32: UInt32] = [:]
      keys = kept.map { index in
        let next = UInt32(truncatingIfNeeded: numbers.count)
        let number = numbers[keys[index]] ?? next
        numbers[keys[index]] = number
        return number
      }
      times = times.map { all in kept.map { all[$0] } }
      sizes = kept.map { sizes[$0] }
    }
    return CacheTrace(
      name: name, path: path, keys: keys, sizes: sizes, times: times, leftOut: log?.summary,
      thinning: CacheTrace.Thinning(
        rate: sampleRate, requestCount: requestCount,
        byteCount: hasAllSizes ? fullByteCount : nil))
  }

  private static func mixed(_ number: UInt64) -> UInt64 {
    var random = SplitMix64(seed: number)
    return random.next()
  }
}
