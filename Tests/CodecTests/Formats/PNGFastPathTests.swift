import CImageCodecs
import CImagePNG
import ImageCodecs
import ImageModel
import Testing
@testable import TestSupport

/// PNGs decoded without libpng, compared with libpng.
@Suite struct `PNG fast path` {
  /// The result of decoding; equal only if messages and pixels are.
  struct Outcome: Equatable {
    var status: imgc_status
    var message: String
    var checkStatus: imgc_status
    var pixels: [UInt8]

    init(_ error: imgc_error, checkStatus: imgc_status, pixels: [UInt8]) {
      status = error.status
      message = withUnsafeBytes(of: error.message) {
        String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
      }
      self.checkStatus = checkStatus
      self.pixels = pixels
    }
  }

  static let limits = imgc_limits(
    max_pixels: 1 << 24, max_animation_pixels: 1 << 24, max_memory: 1 << 28,
    max_cpu_nanoseconds: 60_000_000_000, max_chunk_bytes: 1 << 20, max_side: 1 << 14,
    max_frames: 1, max_scans: 1)

  /// Decodes in pieces of `piece` rows.
  static func decode(
    _ file: [UInt8], withLibpng: Bool, piece: UInt32 = .max, limits: imgc_limits = limits
  ) -> (outcome: Outcome, isFast: Bool) {
    withUnsafePointer(to: limits) { limits in
      var error = imgc_error()
      let checkStatus =
        withLibpng
        ? imgc_png_check_libpng(file, file.count, limits, &error)
        : imgc_png_check(file, file.count, limits, &error)
      let opened =
        withLibpng
        ? imgc_png_reader_open_libpng(file, file.count, limits, &error)
        : imgc_png_reader_open(file, file.count, limits, &error)
      guard let reader = opened else {
        return (Outcome(error, checkStatus: checkStatus, pixels: []), false)
      }
      defer { imgc_png_reader_close(reader) }
      let width = imgc_png_reader_width(reader)
      let height = imgc_png_reader_height(reader)
      let rowBytes = Int(width) * 4
      var pixels = [UInt8](repeating: 0, count: rowBytes * Int(height))
      var done: UInt32 = 0
      while done < height, error.status == .ok {
        let wanted = imgc_png_reader_is_interlaced(reader) ? height : min(piece, height - done)
        var count: UInt32 = 0
        pixels.withUnsafeMutableBufferPointer { room in
          guard let base = room.baseAddress else { return }
          let rows = imgc_pixels(
            bytes: base + rowBytes * Int(done), byte_count: rowBytes * Int(wanted),
            bytes_per_row: rowBytes, width: width, height: wanted)
          _ = imgc_png_reader_read(reader, rows, &count, &error)
        }
        done += count
      }
      return (
        Outcome(error, checkStatus: checkStatus, pixels: pixels), imgc_png_reader_is_fast(reader)
      )
    }
  }

  static func palette(_ count: Int) -> [UInt8] {
    (0..<3 * count).map { UInt8(truncatingIfNeeded: $0 &* 37) }
  }

  static let kinds = [
    SamplePNG(width: 1, height: 9, color: 0),
    SamplePNG(width: 1, height: 9, color: 0, transparency: [0, 7]),
    SamplePNG(width: 1, height: 9, color: 2),
    SamplePNG(width: 1, height: 9, color: 2, transparency: [0, 1, 0, 2, 0, 3]),
    SamplePNG(width: 1, height: 9, color: 3, palette: palette(256)),
    SamplePNG(width: 1, height: 9, color: 3, palette: palette(9), transparency: [0, 9, 200]),
    SamplePNG(width: 1, height: 9, color: 4),
    SamplePNG(width: 1, height: 9, color: 6),
  ]

  @Test(arguments: kinds.indices)
  func `every color type, filter and width has libpng's pixels`(kind: Int) {
    for width in [1, 2, 3, 4, 5, 7, 16, 17, 31, 258] {
      let image = with(Self.kinds[kind]) { $0.width = width }
      let filters: [(Int) -> UInt8] =
        (0...4).map { filter in { _ in UInt8(filter) } } + [
          { UInt8($0 % 5) }, { UInt8($0 / 2 % 5) },
        ]
      for (index, filter) in filters.enumerated() {
        let file = image.file(rows: image.rows(seed: UInt64(width + index), filter: filter))
        let slow = Self.decode(file, withLibpng: true)
        #expect(slow.outcome.status == .ok && !slow.isFast)
        for piece: UInt32 in [1, 2, 3, .max] {
          let fast = Self.decode(file, withLibpng: false, piece: piece)
          #expect(fast.isFast)
          #expect(fast.outcome == slow.outcome, "width \(width), filters \(index), \(piece) rows")
        }
      }
    }
  }

  @Test(arguments: [1, 6, 9])
  func `compressed files have libpng's pixels`(level: Int) throws {
    for pixels in [
      SampleImages.gradient(201, 97), SampleImages.noise(64, 64, seed: 4),
      SampleImages.translucent(97, 33), SampleImages.flat(300, 200, [1, 2, 3, 255]),
    ] {
      var options = EncodingOptions(level: level)
      options.mayUsePalette = false  // of a few colours it has fewer than eight bits
      let file = try ImageCodecs.encodePNG(pixels, options: options)

      let fast = Self.decode(file, withLibpng: false, piece: 7)

      #expect(fast.isFast)
      #expect(fast.outcome == Self.decode(file, withLibpng: true).outcome)
    }
  }

  @Test func `pixels in many chunks are joined`() {
    let image = with(SamplePNG(width: 33, height: 20, color: 6)) { $0.pieces = 57 }
    let file = image.file(rows: image.rows(seed: 1) { UInt8($0 % 5) })

    let fast = Self.decode(file, withLibpng: false)

    #expect(fast.isFast)
    #expect(fast.outcome == Self.decode(file, withLibpng: true).outcome)
  }

  /// Files outside the fast path.
  static let doubtful: [(name: String, file: [UInt8], status: imgc_status)] = {
    let image = SamplePNG(width: 5, height: 4, color: 2)
    let rows = image.rows(seed: 3) { UInt8($0 % 5) }
    let whole = image.file(rows: rows)
    func with(_ change: (inout SamplePNG) -> Void) -> [UInt8] {
      var changed = image
      change(&changed)
      return changed.file(rows: changed.rows(seed: 3) { UInt8($0 % 5) })
    }
    var checksum = rows
    checksum[rows.count - 1] ^= 1
    let stream: [UInt8] = [0x78, 1, 1, UInt8(rows.count), 0, ~UInt8(rows.count), 255]
    let adler = SamplePNG.bigEndian(SamplePNG.adler32(rows))
    let wrong = SamplePNG.bigEndian(SamplePNG.adler32(checksum))
    // One literal, then symbol 286, which has a code and no meaning; libdeflate decodes it as 258.
    let zeros = SamplePNG.bigEndian(SamplePNG.adler32([UInt8](repeating: 0, count: 259)))
    let reserved: [UInt8] = [0x78, 1, 0x63, 0x18, 0x03, 0x00]
    return [
      ("16 bits", with { $0.depth = 16 }, .ok),
      ("a palette beside RGB", with { $0.palette = palette(2) }, .ok),
      ("a wrong checksum of the stream", image.file(stream: stream + rows + wrong), .ok),
      ("bytes behind the stream", image.file(stream: stream + rows + adler + [0]), .ok),
      ("no end", with { $0.tail = [] }, .truncated),
      (
        "an unknown critical chunk",
        with { $0.tail = SamplePNG.chunk("ABCD", []) + SamplePNG.chunk("IEND", []) }, .ok
      ),
      ("a filter that does not exist", image.file(rows: image.rows(seed: 3) { _ in 5 }), .corrupt),
      ("too few rows", image.file(rows: Array(rows.dropLast(17))), .corrupt),
      ("cut", Array(whole.prefix(whole.count - 20)), .truncated),
      (
        "a symbol without a meaning",
        SamplePNG(width: 258, height: 1, color: 0).file(stream: reserved + zeros), .corrupt
      ),
    ]
  }()

  @Test(arguments: doubtful.indices)
  func `files outside the fast path go to libpng`(index: Int) {
    let (name, file, status) = Self.doubtful[index]

    let fast = Self.decode(file, withLibpng: false)

    #expect(!fast.isFast, "\(name)")
    #expect(fast.outcome.status == status, "\(name): \(fast.outcome.message)")
    #expect(fast.outcome == Self.decode(file, withLibpng: true).outcome, "\(name)")
  }

  @Test func `an image that needs more memory than allowed is decoded row by row`() {
    let image = SamplePNG(width: 100, height: 100, color: 6)
    let file = image.file(rows: image.rows(seed: 3) { UInt8($0 % 5) })
    let limits = with(Self.limits) { $0.max_memory = 40_000 }

    let small = Self.decode(file, withLibpng: false, limits: limits)

    #expect(!small.isFast)
    #expect(small.outcome == Self.decode(file, withLibpng: false).outcome)
  }
}
