import ImageModel

/// A reader with what it has read, prefers, and keeps in a private cache.
struct ImageDayReader {
  struct View {
    let time: Double
    let image: Int
    let variant: Int
  }

  /// The number of sessions a day, relative to the mean.
  let rate: Double
  private let variant: Int
  private let hasCache: Bool
  private var read: Set<Int> = []
  private var favourites: [Int] = []
  private var fetched: [Int: Double] = [:]

  private static let cacheSeconds = 7 * 86_400.0
  private static let visibleCount = 6

  init(mode: ImageDayGenerator.Mode, _ random: inout SplitMix64) {
    switch mode {
    case .client: (rate, variant, hasCache) = (1, 1, false)
    case .edge:
      variant = random.happens(0.4) ? 0 : 1
      rate = random.gamma(shape: 1.5, scale: 1 / 1.5)
      hasCache = true
    }
  }

  /// Generates one session: its requests to the network or the pipeline.
  mutating func session(
    from start: Double, on day: Int, _ content: ImageDayContent, _ random: inout SplitMix64
  ) -> [View] {
    var run = Run(time: start)
    for (index, story) in content.topStories(of: day).enumerated() {
      if index > 0, !random.happens(0.8) { break }
      view(content.stories[story].hero, after: random.exponential(mean: 1.5), content, &run)
    }
    var (first, depth) = (day, 0)
    if random.happens(0.03) {
      depth = random.integer(in: 10...60)
      // The date picker: anywhere in the archive.
      if random.happens(0.25) { first = random.integer(in: min(depth, day)...day) }
    } else {
      while depth < 30, !random.happens(0.45) { depth += 1 }
    }
    var shown: [Int] = []
    for past in stride(from: first, through: max(0, first - depth), by: -1) {
      for story in content.days[past] {
        view(content.stories[story].thumbnail, after: random.exponential(mean: 0.5), content, &run)
        shown.append(story)
        let chance =
          0.25 * content.stories[story].interest * (read.contains(story) ? 0.05 : 1)
          * (past == day ? 2 : 1)
        if random.happens(chance) { open(story, shown, content, &run, &random) }
      }
    }
    if random.happens(0.5) {
      for story in shown.dropLast(Self.visibleCount).reversed() {
        view(content.stories[story].thumbnail, after: 0.08, content, &run)
      }
    }
    if !favourites.isEmpty, random.happens(0.2) {
      var sums: [Double] = []
      for rank in 1...favourites.count { sums.append((sums.last ?? 0) + 1 / Double(rank)) }
      open(favourites[random.index(inSums: sums)], shown, content, &run, &random)
    }
    return run.views
  }

  private struct Run {
    var time: Double
    var views: [View] = []
  }

  private mutating func open(
    _ number: Int, _ shown: [Int], _ content: ImageDayContent, _ run: inout Run,
    _ random: inout SplitMix64
  ) {
    let story = content.stories[number]
    view(story.hero, after: 0.4, content, &run)
    view(story.avatar, after: 0.1, content, &run)
    for image in story.body {
      if !random.happens(0.9) { break }
      view(image, after: random.exponential(mean: 6), content, &run)
    }
    read.insert(number)
    if random.happens(0.03) { favourites.append(number) }
    // Closing it shows the list again.
    for story in shown.suffix(Self.visibleCount) {
      view(content.stories[story].thumbnail, after: 0.02, content, &run)
    }
  }

  private mutating func view(
    _ image: Int, after delay: Double, _ content: ImageDayContent, _ run: inout Run
  ) {
    run.time += delay
    let variant = content.images[image].kind == .avatar ? 0 : variant
    if hasCache {
      let key = image << 1 | variant
      if let last = fetched[key], run.time - last < Self.cacheSeconds { return }
      fetched[key] = run.time
    }
    run.views.append(View(time: run.time, image: image, variant: variant))
  }

  mutating func forget(before time: Double) {
    guard fetched.count > 500 else { return }
    fetched = fetched.filter { time - $0.value < Self.cacheSeconds }
  }
}
