import ImageModel
import Testing

@testable import CacheSimulation

@Suite struct `The content of a daily feed` {
  private static let content = ImageDayContent(dayCount: 300, seed: 7)
  private var content: ImageDayContent { Self.content }

  @Test func `is the same for a seed`() {
    let (same, other) = (
      ImageDayContent(dayCount: 300, seed: 7), ImageDayContent(dayCount: 300, seed: 8)
    )

    #expect(same.images.map(\.byteCount) == content.images.map(\.byteCount))
    #expect(same.days == content.days)
    #expect(other.images.map(\.byteCount) != content.images.map(\.byteCount))
  }

  @Test func `has six to ten stories a day, numbered in their order`() {
    #expect(content.days.allSatisfy { (6...10).contains($0.count) })
    #expect(content.days.flatMap { $0 } == Array(content.stories.indices))
    #expect(Set(content.days.map(\.count)) == Set(6...10))
  }

  @Test func `has a thumbnail and a hero a story that no other has, and an avatar of many`() {
    let own = content.stories.flatMap { [$0.thumbnail, $0.hero] + $0.body }

    #expect(Set(own).count == own.count)
    #expect(own.count + 400 == content.images.count)
    for story in content.stories {
      #expect(content.images[story.thumbnail].kind == .thumbnail)
      #expect(content.images[story.hero].kind == .hero)
      #expect(story.body.allSatisfy { content.images[$0].kind == .body } && story.body.count <= 40)
      #expect(content.images[story.avatar].kind == .avatar)
    }
    #expect(Set(content.stories.map(\.avatar)).count > 100)
  }

  @Test(arguments: [
    (ImageDayContent.Kind.thumbnail, 8_000), (.hero, 90_000), (.body, 45_000), (.avatar, 3_000),
  ])
  func `has images of the median size of their kind`(kind: ImageDayContent.Kind, median: Int) {
    let sizes = content.images.filter { $0.kind == kind }.map(\.byteCount).sorted()

    #expect(sizes.count >= 400)
    let found = Double(sizes[sizes.count / 2])
    #expect(abs(found / Double(median) - 1) < 0.12, "\(found)")
    #expect(sizes[0] >= 300)
  }

  @Test func `shows the three best stories of a day, and the two best of the day before`() {
    for day in [1, 2, 150, 299] {
      let top = content.topStories(of: day)
      let best = content.days[day].sorted {
        content.stories[$0].interest > content.stories[$1].interest
      }
      let former = content.days[day - 1].sorted {
        content.stories[$0].interest > content.stories[$1].interest
      }
      #expect(top == Array(best.prefix(3) + former.prefix(2)), "day \(day)")
    }
    #expect(content.topStories(of: 0).count == 3)
  }

  @Test func `has a variant of each image that is larger or smaller by its kind`() {
    let factors: [ImageDayContent.Kind: Double] = [
      .thumbnail: 1.9, .hero: 1.8, .body: 0.65, .avatar: 1,
    ]
    for image in content.images.indices.prefix(2_000) {
      let byteCount = content.images[image].byteCount
      #expect(content.byteCount(of: image, variant: 0) == byteCount)
      let expected = Double(byteCount) * (factors[content.images[image].kind] ?? 0)
      #expect(content.byteCount(of: image, variant: 1) == max(300, Int(expected)), "\(image)")
    }
  }
}

@Suite struct `A reader of a daily feed` {
  private static let content = ImageDayContent(dayCount: 100, seed: 3)

  private func sessions(
    _ mode: ImageDayGenerator.Mode, seed: UInt64, count: Int, hoursBetween: Double
  ) -> [[ImageDayReader.View]] {
    var random = SplitMix64(seed: seed)
    var reader = ImageDayReader(mode: mode, &random)
    return (0..<count).map { session in
      let start = Double(session) * 3_600 * hoursBetween
      return reader.session(
        from: start, on: min(99, 50 + Int(start / 86_400)), Self.content, &random)
    }
  }

  @Test(arguments: ImageDayGenerator.Mode.allCases, [1, 2, 3, 4] as [UInt64])
  func `sees images one after the other, from the beginning of a session`(
    mode: ImageDayGenerator.Mode, seed: UInt64
  ) {
    let sessions = sessions(mode, seed: seed, count: 30, hoursBetween: 24)

    for (number, views) in sessions.enumerated() {
      let start = Double(number) * 86_400
      #expect(views.allSatisfy { $0.time >= start }, "seed \(seed), session \(number)")
      #expect(zip(views, views.dropFirst()).allSatisfy { $0.time <= $1.time }, "seed \(seed)")
      #expect(views.allSatisfy { Self.content.images.indices.contains($0.image) })
    }
    #expect(sessions.reduce(0) { $0 + $1.count } > 200)
  }

  @Test(arguments: 1...5 as ClosedRange<UInt64>)
  func `with a cache fetches nothing twice in a week, and everything again later`(seed: UInt64) {
    var last: [Int: Double] = [:]
    var isRepeated = false
    for view in sessions(.edge, seed: seed, count: 200, hoursBetween: 2.5).flatMap({ $0 }) {
      let key = view.image << 1 | view.variant
      if let time = last[key] {
        #expect(view.time - time >= 7 * 86_400, "seed \(seed)")
        isRepeated = true
      }
      last[key] = view.time
    }
    #expect(isRepeated, "seed \(seed)")
  }
}
