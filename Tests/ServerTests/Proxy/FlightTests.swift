import Foundation
import HTTPTypes
import ImageModel
import Testing

@testable import CachingProxy
@testable import HTTPListening
@testable import TestSupport

/// Requests to the origin that equal requests join.
@Suite struct `Requests in flight` {
  private func code(of outcome: Flight.Outcome?) -> ImageError.Code? {
    guard case .failed(let error) = outcome else { return nil }
    return error.code
  }

  @Test func `have one outcome for all that wait, and for those that come later`() async throws {
    let flight = Flight(of: "/a", isJoinable: true)
    let waiters = (0..<5).map { _ in Task { try await flight.outcome(for: nil) } }
    await Condition.until { flight.waiterCount == 5 }

    flight.settle(.failed(ImageError(.timedOut, "late")))
    flight.settle(.failed(ImageError(.connectionReset, "a second outcome")))

    for waiter in waiters { #expect(code(of: try await waiter.value) == .timedOut) }
    #expect(code(of: try await flight.outcome(for: nil)) == .timedOut)
    #expect(flight.waiterCount == 0)
  }

  @Test func `pass interim responses on in order, until they are settled`() async {
    let flight = Flight(of: "/a", isJoinable: false)

    flight.pass(interim: 103, [.server: "a"])
    flight.pass(interim: 102, [:])
    flight.settle(.failed(ImageError(.timedOut, "late")))
    flight.pass(interim: 103, [.server: "too late"])

    var passed: [String] = []
    for await (status, fields) in flight.interim {
      passed.append("\(status) \(fields[.server] ?? "-")")
    }
    #expect(passed == ["103 a", "102 -"])
  }

  @Test func `are joined by equal requests until they end, unless they are alone`() {
    let table = FlightTable()
    let alone = table.beginAlone("u")
    let (first, isNew) = table.joinOrBegin("u")

    #expect(isNew && first !== alone)
    let another = table.beginAlone("u")
    #expect(another !== alone)
    #expect(table.joinOrBegin("u") == (first, false))
    table.end(alone, for: "u")
    #expect(table.joinOrBegin("u") == (first, false))
    #expect(table.joinOrBegin("u?") != (first, false))
    table.end(first, for: "u")
    #expect(table.joinOrBegin("u") != (first, false))
  }

  @Test func `that are outdated are not joined and store nothing`() {
    let table = FlightTable()
    let (old, _) = table.joinOrBegin("u")
    let (other, _) = table.joinOrBegin("v")
    let post = table.beginAlone("u")

    // Not by its own change of the resource.
    table.outdate("u", by: post)

    let (new, isNew) = table.joinOrBegin("u")
    #expect(isNew && new !== old)
    #expect(old.isOutdated && ![new, other, post].contains { $0.isOutdated })
    var stored: [String] = []
    old.store { stored.append("old") }
    new.store { stored.append("new") }
    #expect(stored == ["new"])
    // A purge of everything.
    table.outdate(nil)
    #expect([new, other, post].allSatisfy { $0.isOutdated })
    table.outdate("w")
    #expect(!table.joinOrBegin("w").0.isOutdated)
  }

  @Test func `are outdated only after a response that is being stored`() async throws {
    let (table, inside, gate) = (FlightTable(), Gate(), Gate())
    let order = Locked<[String]>([])
    let own = table.beginAlone("u")
    let storing = Task {
      try await OffPool.run {
        own.store {
          inside.open()
          gate.block()
          order.withLock { $0.append("stored") }
        }
      }
    }
    await inside.wait()
    let purging = Task {
      try await OffPool.run {
        table.outdate("u")
        order.withLock { $0.append("outdated") }
      }
    }
    await Condition.until { own.isOutdated }
    gate.open()
    try await storing.value
    try await purging.value

    #expect(order.withLock { $0 } == ["stored", "outdated"])
  }

  @Test func `end once the last client has left, and are not joined then`() async throws {
    let table = FlightTable()
    let (flight, _) = table.joinOrBegin("u")
    let clients = [ConnectionPresence(), ConnectionPresence()]
    let ends = Locked(0)
    flight.whenAbandoned { ends.withLock { $0 += 1 } }
    let waiters = clients.map { client in Task { try await flight.outcome(for: client) } }
    await Condition.until { flight.waiterCount == 2 }

    flight.ownerLeft()
    clients[0].leave()
    await #expect(throws: CancellationError.self) { try await waiters[0].value }
    #expect(ends.withLock { $0 } == 0)
    #expect(table.joinOrBegin("u") == (flight, false))
    clients[1].leave()
    await #expect(throws: CancellationError.self) { try await waiters[1].value }

    #expect(ends.withLock { $0 } == 1)
    #expect(table.joinOrBegin("u") != (flight, false))
    await #expect(throws: CancellationError.self) { try await flight.outcome(for: clients[0]) }
  }

  @Test func `go on without clients once settled, and where nothing ends them`() {
    let flights = [Flight(of: "/a", isJoinable: true), Flight(of: "/a", isJoinable: false)]
    let isEnded = Locked(false)
    flights[0].whenAbandoned { isEnded.withLock { $0 = true } }
    flights[0].settle(.failed(ImageError(.timedOut, "late")))

    for flight in flights { flight.ownerLeft() }

    #expect(!isEnded.withLock { $0 })
    #expect(flights[0].mayBeJoined && !flights[1].mayBeJoined)
  }

  @Test func `are not shared for ten seconds after a response that is not stored`() {
    let table = FlightTable()
    let now = Date(timeIntervalSince1970: 1_600_000_000)

    table.recordUnstored("u", at: now)

    #expect(!table.mayShare("u", at: now) && !table.mayShare("u", at: now + 9.9))
    #expect(table.mayShare("u", at: now + 10) && table.mayShare("v", at: now))
    for number in 0..<5_000 { table.recordUnstored("\(number)", at: now + 10) }
    // There is room for some, and none is needed.
    #expect((0..<5_000).count { !table.mayShare("\($0)", at: now + 10) } == 1024)
  }
}

private func == (one: (Flight, isNew: Bool), other: (Flight, Bool)) -> Bool {
  one.0 === other.0 && one.isNew == other.1
}

private func != (one: (Flight, isNew: Bool), other: (Flight, Bool)) -> Bool { !(one == other) }
