public import ImageModel

/// Writes a trace as a file that ``TraceReader`` and libCacheSim read.
public enum TraceWriter {
  /// The formats that can be written.
  public static let formats: [TraceFormat] = [.csv, .oracleGeneral]

  /// Returns the bytes of a file in one of ``formats``, some 20 a request.
  ///
  /// Keys are numbers, in the order in which they first appear: 0, 1, 2…. Sizes are those that the
  /// simulation uses: one that was unknown is that of another request for the key, if there is one.
  /// Times are whole seconds, 0 where the trace was read without.
  ///
  /// - Throws: ``ImageError`` with code `invalidArgument` for another format, or `limitExceeded`
  /// for a size or time that does not fit the 32 bits of oracleGeneral; it names the request.
  public static func bytes(
    of trace: CacheTrace, as format: TraceFormat
  ) throws(ImageError) -> [UInt8] {
    switch format {
    case .csv: return csv(trace)
    case .oracleGeneral: return try records(trace)
    case .spaced, .arc, .log:
      throw ImageError(
        .invalidArgument,
        "a trace is written as \(formats.map(\.rawValue).joined(separator: " or ")), not \(format)")
    }
  }

  private static func csv(_ trace: CacheTrace) -> [UInt8] {
    var bytes = Array("time,key,size\n".utf8)
    bytes.reserveCapacity(20 * trace.keys.count)
    for index in trace.keys.indices {
      let line = "\(trace.times?[index] ?? 0),\(trace.keys[index]),\(trace.sizes[index])\n"
      bytes.append(contentsOf: line.utf8)
    }
    return bytes
  }

  /// Records of 24 bytes. The number of the next request is the one that counts requests from 1, as
  /// libCacheSim's caches do; -1 is none.
  private static func records(_ trace: CacheTrace) throws(ImageError) -> [UInt8] {
    let next = trace.nextRequests()
    var bytes: [UInt8] = []
    bytes.reserveCapacity(24 * trace.keys.count)
    func append(_ number: some FixedWidthInteger) {
      var number = number.littleEndian
      withUnsafeBytes(of: &number) { bytes.append(contentsOf: $0) }
    }
    for index in trace.keys.indices {
      let time = trace.times?[index] ?? 0
      let size = trace.sizes[index]
      guard let shortTime = UInt32(exactly: time) else { throw tooLarge("time", time, index) }
      guard let shortSize = UInt32(exactly: size) else { throw tooLarge("size", size, index) }
      append(shortTime)
      append(UInt64(trace.keys[index]))
      append(shortSize)
      append(next[index] < trace.keys.count ? Int64(next[index]) + 1 : -1)
    }
    return bytes
  }

  private static func tooLarge(_ what: String, _ value: Int, _ index: Int) -> ImageError {
    ImageError(
      .limitExceeded,
      "the \(what) \(value) of request \(index + 1) does not fit the 32 bits that oracleGeneral has for it; write CSV"
    )
  }
}
