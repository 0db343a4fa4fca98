import Foundation
import ImagePipeline
import Synchronization

// usage: memory-bench [ROUNDS]
//
// Nanoseconds of each operation on the memory tier, at one thread and at two, by turns in one run: medians of the
// rounds with the least and the greatest. Beside them the simplest thing that could do: a dictionary behind a mutex
// that evicts nothing.

let rounds = CommandLine.arguments.count > 1 ? Int(CommandLine.arguments[1]) ?? 7 : 7
let operations = 1_000_000
let keys = (0..<4096).map { MemoryKey("https://pic1.zhimg.com/v2-\($0).jpg") }

final class Picture: Sendable {}
let pictures = keys.map { _ in Picture() }

func wallNanoseconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_MONOTONIC, &time)
  return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
}

/// Nanoseconds by the wall that each operation took while `threads` threads ran them.
func measure(threads: Int, _ body: @escaping @Sendable (Int, Int) -> Void) -> Double {
  let began = wallNanoseconds()
  let group = DispatchGroup()
  for thread in 0..<threads {
    let worker = Thread {
      body(thread, operations)
      group.leave()
    }
    group.enter()
    worker.start()
  }
  group.wait()
  return (wallNanoseconds() - began) / Double(operations * threads)
}

func tier(_ policy: EvictionPolicyName, room: Int) -> MemoryCache<Picture> {
  var configuration = MemoryCacheConfiguration()
  configuration.policy = policy
  configuration.maximumByteCount = room
  let cache = MemoryCache<Picture>(configuration)
  for (key, picture) in zip(keys, pictures) { cache.insert(picture, for: key, byteCount: 1) }
  return cache
}

struct Operation: Sendable {
  let name: String
  let body: @Sendable (Int, Int) -> Void
}

var suite: [Operation] = []
for policy in [EvictionPolicyName.lru, .sieve, .s3FIFO, .wTinyLFU] {
  let cache = tier(policy, room: 1 << 20)
  suite.append(
    Operation(name: "hit, \(policy)") { thread, count in
      var at = thread * 1237
      for _ in 0..<count {
        at = (at &+ 911) & 4095
        precondition(cache.value(for: keys[at]) != nil)
      }
    })
}
let absent = (0..<4096).map { MemoryKey("absent \($0)") }
let lru = tier(.lru, room: 1 << 20)
suite.append(
  Operation(name: "miss") { thread, count in
    var at = thread * 1237
    for _ in 0..<count {
      at = (at &+ 911) & 4095
      precondition(lru.value(for: absent[at]) == nil)
    }
  })
suite.append(
  Operation(name: "insert over an old value") { thread, count in
    var at = thread * 1237
    for _ in 0..<count {
      at = (at &+ 911) & 4095
      lru.insert(pictures[at], for: keys[at], byteCount: 1)
    }
  })
let full = tier(.lru, room: 1024)
suite.append(
  Operation(name: "insert that evicts") { thread, count in
    var at = thread * 1237
    for _ in 0..<count {
      at = (at &+ 911) & 4095
      full.insert(pictures[at], for: keys[at], byteCount: 1)
    }
  })
let plain = Mutex(Dictionary(uniqueKeysWithValues: zip(keys, pictures)))
suite.append(
  Operation(name: "dictionary behind a mutex") { thread, count in
    var at = thread * 1237
    for _ in 0..<count {
      at = (at &+ 911) & 4095
      precondition(plain.withLock { $0[keys[at]] } != nil)
    }
  })
suite.append(
  Operation(name: "making a key of a URL") { _, count in
    var sum: UInt64 = 0
    let urls = (0..<64).map { "https://pic1.zhimg.com/v2-8e1c0d9a1b2f3e4d5c6b7a8990a1\($0).jpg" }
    for index in 0..<count { sum &+= UInt64(MemoryKey(urls[index & 63]).hashValue & 1) }
    precondition(sum != 0)
  })

print("operation\t1 thread, ns\t2 threads, ns\ttimes the throughput")
for operation in suite {
  var one: [Double] = []
  var two: [Double] = []
  for _ in 0..<rounds {
    one.append(measure(threads: 1, operation.body))
    two.append(measure(threads: 2, operation.body))
  }
  let gains = zip(one, two).map { $0 / $1 }
  func text(_ values: [Double], _ digits: Int) -> String {
    let sorted = values.sorted()
    func form(_ value: Double) -> String { String(format: "%.\(digits)f", value) }
    let (least, greatest) = (form(sorted[0]), form(sorted[sorted.count - 1]))
    return "\(form(sorted[sorted.count / 2])) (\(least)–\(greatest))"
  }
  print("\(operation.name)\t\(text(one, 0))\t\(text(two, 0))\t\(text(gains, 2))")
}
