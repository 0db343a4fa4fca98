@testable import CachePolicies

/// W-TinyLFU with a window of fixed size, one by one, over entries of size 1: arrays in place of
/// lists, oldest first. The sketch is the real one.
struct NaiveWTinyLFU: NaivePolicy {
  static let windowShare = 0.3

  let capacity: Int
  private let windowRoom: Int
  private var window: [Int] = []
  private var probation: [Int] = []
  private var protected: [Int] = []
  private var sketch = FrequencySketch(expectedCount: 1024)

  init(capacity: Int) {
    self.capacity = capacity
    windowRoom = max(1, Int(Double(capacity) * Self.windowShare))
  }

  private var count: Int { window.count + probation.count + protected.count }

  mutating func access(_ key: Int) -> Bool {
    sketch.add(UInt64(key), period: 10 * max(count, 16))
    if let at = window.firstIndex(of: key) {
      window.append(window.remove(at: at))
      return true
    }
    if let at = protected.firstIndex(of: key) {
      protected.append(protected.remove(at: at))
      return true
    }
    if let at = probation.firstIndex(of: key) {
      protected.append(probation.remove(at: at))
      if protected.count > Int(Double(capacity - windowRoom) * 0.8) {
        probation.append(protected.removeFirst())
      }
      return true
    }
    window.append(key)
    if window.count > windowRoom { leaveWindow() }
    return false
  }

  /// The oldest of the window competes with the oldest of the main part where there is no room.
  private mutating func leaveWindow() {
    let candidate = window.removeFirst()
    if count + 1 > capacity {
      guard let victim = probation.first ?? protected.first,
        sketch.estimate(UInt64(victim)) < sketch.estimate(UInt64(candidate))
      else { return }
      if probation.isEmpty { protected.removeFirst() } else { probation.removeFirst() }
    }
    probation.append(candidate)
  }
}
