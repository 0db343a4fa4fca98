import Testing

@testable import ImageCodecs
@testable import ImageModel
@testable import TestSupport

/// Rows of a gradient that come in pieces, all at once, too few, or with an error.
private final class StubRows: RowReading {
  static let image = SampleImages.gradient(5, 40)

  let size = image.size
  let isWhole: Bool
  /// Rows before `failure`, or after which nothing comes.
  let available: Int
  let failure: ImageError?
  let warning: String? = "odd"
  var damage: ImageError?
  private var next = 0
  private(set) var calls: [Int] = []

  init(
    isWhole: Bool = false, available: Int = StubRows.image.height, failure: ImageError? = nil,
    damage: ImageError? = nil
  ) {
    (self.isWhole, self.available) = (isWhole, available)
    (self.failure, self.damage) = (failure, damage)
  }

  func read(
    _ count: Int, into room: UnsafeMutableRawBufferPointer, done: inout Int
  ) throws(ImageError) {
    calls.append(count)
    let rows = min(count, available - next)
    let bytes = Self.image.bytes[4 * size.width * next..<4 * size.width * (next + rows)]
    room.copyBytes(from: bytes)
    next += rows
    done = rows
    if rows < count, let failure { throw failure }
  }
}

@Suite struct `A decoder of stills` {
  private static func decode(
    _ rows: StubRows, orientation: Int = 1, isLenient: Bool = false,
    limits: ImageLimits = ImageLimits()
  ) throws(ImageError) -> StillDecoder.Result {
    try StillDecoder(orientation: orientation, isLenient: isLenient, limits: limits).decode(rows)
  }

  @Test(arguments: 1...8, [false, true])
  func `turns the rows upright, however they come`(orientation: Int, isWhole: Bool) throws {
    let rows = StubRows(isWhole: isWhole)

    let made = try Self.decode(rows, orientation: orientation)

    #expect(made.pixels == (try Orient(orientation).process(StubRows.image)))
    #expect(made.fault == nil && made.warning == "odd")
    #expect(isWhole ? rows.calls == [40] : rows.calls.count > 1)
  }

  @Test(arguments: [false, true])
  func `refuses rows that end too early, and names how many there are`(isWhole: Bool) throws {
    let error = imageError { try Self.decode(StubRows(isWhole: isWhole, available: 13)) }

    #expect(error?.code == .corrupt)
    #expect(error?.message == "the rows end after 13 of 40")
  }

  @Test(arguments: [ImageError.Code.truncated, .corrupt], [1, 3, 6])
  func `that is lenient keeps the rows before damage, and the rest is transparent`(
    code: ImageError.Code, orientation: Int
  ) throws {
    let fault = ImageError(code, "cut here")
    var expected = StubRows.image
    expected.clear(left: 0, top: 21, size: PixelSize(width: 5, height: 19))

    let made = try Self.decode(
      StubRows(available: 21, failure: fault), orientation: orientation, isLenient: true)

    #expect(made.pixels == (try Orient(orientation).process(expected)))
    #expect(made.fault?.code == code && made.fault?.message == "cut here")
  }

  @Test(arguments: [ImageError.Code.limitExceeded, .outOfMemory, .unsupportedFormat, .truncated])
  func `throws what is not damage, and damage itself where it is strict`(code: ImageError.Code) {
    let rows = StubRows(available: 21, failure: ImageError(code, "stop"))
    let error = imageError { try Self.decode(rows, isLenient: code != .truncated) }

    #expect(error?.code == code && error?.message == "stop")
  }

  @Test func `reports damage that the reader skipped, but an error first`() throws {
    let skipped = ImageError(.corrupt, "skipped")

    let whole = try Self.decode(StubRows(damage: skipped), isLenient: true)
    let cut = try Self.decode(
      StubRows(available: 3, failure: ImageError(.truncated, "cut"), damage: skipped),
      isLenient: true)

    #expect(whole.fault?.message == "skipped")
    #expect(cut.fault?.message == "cut")
  }

  @Test func `does not begin with an image above the memory limit`() {
    let rows = StubRows()
    var limits = ImageLimits()
    limits.maximumMemoryByteCount = 5 * 40 * 4 - 1

    let error = imageError { try Self.decode(rows, limits: limits) }

    #expect(error?.code == .limitExceeded)
    #expect(error?.message.contains("5x40") == true)
    #expect(rows.calls.isEmpty)
    limits.maximumMemoryByteCount += 1
    #expect(throws: Never.self) { try Self.decode(rows, limits: limits) }
  }
}
