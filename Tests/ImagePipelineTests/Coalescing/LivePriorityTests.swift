import Testing

@testable import ImageModel
@testable import LoadScheduling

@Suite struct `A priority that changes` {
  private let heard = Locked<[LoadPriority]>([])

  /// Records the value of a priority at each change.
  private func listen(to priority: LivePriority) -> Int {
    priority.onChange { [heard, weak priority] in
      if let priority { heard.withLock { $0.append(priority.value) } }
    }
  }

  @Test func `tells its listeners of each new value before the change returns`() {
    let priority = LivePriority(.low)
    _ = listen(to: priority)

    priority.value = .high
    priority.value = .high
    priority.value = .prefetch

    #expect(heard.withLock { $0 } == [.high, .prefetch])
  }

  @Test func `tells every listener, until it is forgotten`() {
    let priority = LivePriority()
    let first = listen(to: priority)
    let second = listen(to: priority)

    priority.value = .high
    priority.forget(first)
    priority.value = .low
    priority.forget(second)
    priority.value = .normal

    #expect(first != second)
    #expect(heard.withLock { $0 } == [.high, .high, .low])
  }

  @Test func `a listener may change its listeners`() {
    let priority = LivePriority()
    let token = Locked(0)
    token.withLock {
      $0 = priority.onChange { [heard] in
        priority.forget(token.withLock { $0 })
        heard.withLock { $0.append(priority.value) }
      }
    }

    priority.value = .high
    priority.value = .low

    #expect(heard.withLock { $0 } == [.high])
  }

  @Test(arguments: LoadPriority.allCases)
  func `that is constant is shared and has no listeners`(value: LoadPriority) {
    let priority = LivePriority.constant(value)

    let token = listen(to: priority)
    priority.forget(token)

    #expect(priority.value == value)
    #expect(priority.isConstant)
    #expect(priority === LivePriority.constant(value))
    #expect(token == 0)
  }
}
