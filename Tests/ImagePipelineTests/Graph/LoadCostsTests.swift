import Testing

@testable import ImageModel
@testable import ImagePipeline
@testable import TestSupport

@Suite struct `The costs of loads` {
  private let costs = LoadCosts()

  private static func body() -> BodyPreviews {
    BodyPreviews(
      run: SharedRun(priority: .normal, sink: { _ in }, isWatched: { false }),
      interval: .milliseconds(200), limits: ImageLimits(), now: { .zero })
  }

  private static func totals(_ requestCount: Int, _ byteCount: Int) -> ImagePipeline.Totals {
    var totals = ImagePipeline.Totals()
    totals.requestCount = requestCount
    totals.receivedByteCount = byteCount
    return totals
  }

  private static func add(_ requestCount: Int, _ byteCount: Int, to meter: TransferMeter) {
    meter.update {
      $0.requestCount += requestCount
      $0.receivedByteCount += byteCount
    }
  }

  @Test func `have those of loads in progress, as they grow`() {
    let meters = [TransferMeter(), TransferMeter()]
    for meter in meters { costs.begin(meter, Self.body()) }

    Self.add(1, 100, to: meters[0])
    Self.add(2, 10, to: meters[1])
    let first = costs.totals
    Self.add(1, 1, to: meters[0])

    #expect(first == Self.totals(3, 110))
    #expect(costs.totals == Self.totals(4, 111))
  }

  @Test func `have those of a load that has ended once`() {
    let meter = TransferMeter()
    costs.begin(meter, Self.body())
    Self.add(2, 100, to: meter)

    costs.end(meter)
    let first = costs.totals
    Self.add(1, 1, to: meter)

    #expect(first == Self.totals(2, 100))
    #expect(costs.totals == first)
  }
}

@Suite struct `The updates of a growing body` {
  private let updates = Locked<[LoadUpdate]>([])

  private func body(isWatched: Bool) -> BodyPreviews {
    let run = SharedRun<LoadUpdate>(priority: .normal) { [updates] update in
      updates.withLock { $0.append(update) }
    } isWatched: {
      isWatched
    }
    return BodyPreviews(run: run, interval: .zero, limits: ImageLimits(), now: { .seconds(1) })
  }

  @Test func `need the bytes from the first that they have not had, and again from a new begin`() {
    let body = body(isWatched: true)

    var positions = [body.wantedPosition]
    body.bodyGrew(to: 30, of: 100, bytes: Array(SampleImages.photo.prefix(30)))
    positions.append(body.wantedPosition)
    body.bodyGrew(to: 50, of: 100, bytes: [])
    positions.append(body.wantedPosition)
    body.bodyBegan()
    positions.append(body.wantedPosition)

    #expect(positions == [0, 30, 30, 0])
  }
}
