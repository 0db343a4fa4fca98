import Foundation
import HTTPCaching
import ImageModel
import RedisClustering
import SharedCaching

/// Readers and writers of a shared tier, while a script breaks its Redis servers; one line of JSON
/// a second.
///
/// Each of some tasks looks up a value of a random key and, once in ten times or on a miss,
/// makes and writes it, as image servers do. The body is derived from the key, so a wrong
/// byte is detected.
struct Tier {
  let arguments: Arguments

  /// The counts of one second.
  private struct Second {
    var hits = 0
    var misses = 0
    var unavailable = 0
    var wrong = 0
    var readTimes: [Duration] = []
    var turnTimes: [Duration] = []
  }

  func run() async throws {
    let servers = arguments.text("servers").split(separator: ",").compactMap { RedisEndpoint($0) }
    guard !servers.isEmpty else { throw ImageError(.invalidArgument, "--servers HOST:PORT,…") }
    let tier = try SharedTier(SharedTier.Configuration(servers: .init(servers: servers)))
    let (keyCount, taskCount) = (
      arguments.number("keys", default: 2000), arguments.number("tasks", default: 4)
    )
    let seconds = arguments.number("seconds", default: 10)
    let size = arguments.number("size", default: 20_000)
    let pause = Duration.microseconds(arguments.number("pause-us", default: 200))
    let end = ContinuousClock.now + .seconds(seconds)
    let current = Locked(Second())

    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<taskCount {
        group.addTask {
          var random = SplitMix64(seed: UInt64(task + 1))
          while ContinuousClock.now < end {
            let number = Int(random.next() % UInt64(keyCount))
            let isWrite = random.next() % 10 == 0
            try await Self.step(tier, number, isWrite, size, current)
            if pause > .zero { try await Task.sleep(for: pause) }
          }
        }
      }
      group.addTask {
        var last = clock()
        for second in 1...seconds {
          try await Task.sleep(for: .seconds(1))
          let seen = current.withLock { current in
            defer { current = Second() }
            return current
          }
          let spent = clock()
          let time = Int(spent - last) * 1_000_000 / Int(CLOCKS_PER_SEC)
          last = spent
          print(Self.line(second, seen, tier, processorTime: time))
          fflush(nil)
        }
      }
      try await group.waitForAll()
    }
    await tier.finishWriting()
    await tier.shutDown()
  }

  private static func step(
    _ tier: SharedTier, _ number: Int, _ isWrite: Bool, _ size: Int,
    _ current: Locked<Second>
  ) async throws {
    let key = TierKey(url: "https://example.org/\(number).jpg", variant: "w=200")
    var random = SplitMix64(seed: UInt64(number))
    let word = random.next()
    let body = [UInt8](repeating: UInt8(truncatingIfNeeded: word), count: size - number % 1000)
    let start = ContinuousClock.now
    let found: TierTurn
    if isWrite {
      found = try await tier.turn(for: key, until: start + .seconds(1))
    } else {
      switch await tier.read(key) {
      case .hit(let value, let generation): found = .use(value, generation)
      case .miss: found = try await tier.turn(for: key, until: start + .seconds(1))
      case .unavailable: found = .makeAlone
      }
    }
    let elapsed = ContinuousClock.now - start
    let now = Date()
    let response = StoredResponse(status: 200, fields: [:], requestTime: now, responseTime: now)
    let made = TierValue(
      response: response, body: body, freshUntil: now + 600, staleUntil: now + 600)
    switch found {
    case .make(let lock): tier.write(made, for: key, lock.generation, lock: lock)
    case .use(_, let generation) where isWrite: tier.write(made, for: key, generation)
    case .use, .makeAlone: break
    }
    current.withLock { current in
      switch found {
      case .use(let value, _):
        current.hits += 1
        if value.body != body { current.wrong += 1 }
      case .make: current.misses += 1
      case .makeAlone: current.unavailable += 1
      }
      if isWrite { current.turnTimes.append(elapsed) } else { current.readTimes.append(elapsed) }
    }
  }

  private static func line(_ second: Int, _ seen: Second, _ tier: SharedTier, processorTime: Int)
    -> String
  {
    func times(_ name: String, _ all: [Duration]) -> String {
      let sorted = all.sorted()
      func at(_ share: Double) -> String {
        guard !sorted.isEmpty else { return "null" }
        let index = min(sorted.count - 1, Int(Double(sorted.count) * share))
        return String(format: "%.3f", sorted[index] / .milliseconds(1))
      }
      return "\"\(name)_ms\":[\(at(0.5)),\(at(0.99)),\(at(1))]"
    }
    let statistics = tier.statistics
    let count = seen.hits + seen.misses + seen.unavailable
    return "{\"second\":\(second),\"hits\":\(seen.hits),\"misses\":\(seen.misses),"
      + "\"unavailable\":\(seen.unavailable),\"wrong\":\(seen.wrong),"
      + times("read", seen.readTimes) + "," + times("turn", seen.turnTimes)
      + ",\"cpu_us\":\(processorTime / max(1, count))"
      + ",\"writes\":\(statistics.writes),\"failed_writes\":\(statistics.failedWrites),\"openings\":\(statistics.openings)}"
  }
}
