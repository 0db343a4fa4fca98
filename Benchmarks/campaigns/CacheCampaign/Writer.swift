import DiskCaching
import Foundation
import ImageModel
import Synchronization

/// Stores entry after entry and acknowledges each, until it is done or killed.
struct Writer {
  let arguments: Arguments

  func run() throws {
    var configuration = arguments.configuration
    configuration.durability = .init(rawValue: arguments.text("durability")) ?? .relaxed
    if let stage = StoreStage(rawValue: arguments.text("kill-stage")) {
      let left = Atomic(arguments.number("kill-at", default: 1))
      configuration.stageHook = { reached in
        if reached == stage, left.subtract(1, ordering: .relaxed).newValue == 0 {
          kill(getpid(), SIGKILL)
        }
      }
    }
    if arguments.has("file-size") {
      signal(SIGXFSZ, SIG_IGN)
      var limit = rlimit()
      limit.rlim_cur = rlim_t(arguments.number("file-size", default: 1 << 20))
      limit.rlim_max = limit.rlim_cur
      setrlimit(__rlimit_resource_t(1), &limit)  // RLIMIT_FSIZE
    }
    let cache = try DiskCache(configuration).core
    let first = arguments.number("first", default: 0)
    let threads = arguments.number("threads", default: 2)
    let count = arguments.number("count", default: 1000)
    let size = arguments.number("bytes", default: 4000)
    DispatchQueue.concurrentPerform(iterations: threads) { thread in
      for step in stride(from: thread, to: count, by: threads) {
        let number = first + step
        do throws(ImageError) {
          // Some sizes differ, and some bytes equal another entry's.
          let source = number % 10 == 9 ? number - 5 : number
          try cache.store(
            Payload.bytes(source, count: size + source % 7 * size / 3), Payload.record(number))
          say("ok \(number) \(source)")
          if number % 3 == 0 { _ = cache.read(Payload.key(number - 1)) }
        } catch {
          say("failed \(number) \(error.code.rawValue)")
        }
      }
    }
    cache.close()
  }
}

/// One line on stdout in one write, so that a kill never cuts it.
func say(_ line: String) {
  let bytes = Array((line + "\n").utf8)
  _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}

func complain(_ line: String) { FileHandle.standardError.write(Data((line + "\n").utf8)) }
