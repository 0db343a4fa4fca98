import Testing

@testable import CacheSimulation
@testable import TestSupport

@Suite struct `The generator of image-day traffic` {
  @Test func `a seed makes one trace, another seed another`() {
    let first = ImageDayGenerator(seed: 3, dayCount: 20).requests()

    #expect(first == ImageDayGenerator(seed: 3, dayCount: 20).requests())
    #expect(first != ImageDayGenerator(seed: 4, dayCount: 20).requests())
  }

  @Test func `times grow, keys are numbered as they appear, and a key keeps its size`() {
    let requests = ImageDayGenerator(mode: .edge, dayCount: 3, readerCount: 20).requests()
    var sizes: [UInt32: Int] = [:]
    var next: UInt32 = 0

    for request in requests {
      #expect(request.key <= next)
      if request.key == next { next += 1 }
      #expect(sizes[request.key, default: request.size] == request.size)
      #expect(request.size >= 300)
      sizes[request.key] = request.size
    }

    #expect(requests.count > 100)
    #expect(zip(requests, requests.dropFirst()).allSatisfy { $0.time <= $1.time })
  }

  @Test func `a reader's cache sends nothing twice within a week`() {
    let requests = ImageDayGenerator(mode: .edge, dayCount: 20, readerCount: 1).requests()
    var last: [UInt32: Int] = [:]

    for request in requests {
      if let time = last[request.key] { #expect(request.time - time >= 7 * 86_400 - 1) }
      last[request.key] = request.time
    }

    #expect(!requests.isEmpty)
  }

  /// What the model's description says of one reader's year, seed 1.
  @Test func `one reader's year is what the model describes, within ten percent`() {
    let facts = ImageDayGenerator().trace().facts

    expect(Double(facts.requestCount), near: 42_486)
    expect(Double(facts.objectCount), near: 9_827)
    expect(Double(facts.footprint), near: 567e6)
    expect(facts.oneHitShare, near: 0.545)
    expect(facts.compulsoryMissRatio, near: 0.231)
  }

  /// The same of 600 readers behind a shared cache.
  @Test(.enabled(if: CampaignSize.isFull, "needs IMGCACHE_CAMPAIGN=full"))
  func `a month of many readers is what the model describes, within ten percent`() {
    let facts = ImageDayGenerator(mode: .edge).trace().facts

    expect(Double(facts.requestCount), near: 755_328)
    expect(Double(facts.objectCount), near: 34_752)
    expect(Double(facts.footprint), near: 2_019e6)
    expect(facts.oneHitShare, near: 0.339)
    expect(facts.compulsoryMissRatio, near: 0.046)
  }

  private func expect(_ value: Double, near wanted: Double) {
    #expect(abs(value / wanted - 1) <= 0.1, "\(value) instead of \(wanted)")
  }
}
