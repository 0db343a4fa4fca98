import Testing

@testable import ReaderModel

@Suite struct `Pulling to refresh` {
  @Test func `the states have the numbers of EGOTableViewPullRefresh`() {
    #expect(PullRefresh.State.allCases.map(\.rawValue) == [0, 1, 2])
    #expect(PullRefresh().state == .normal)
  }

  @Test func `going beyond 65 arms it, coming back inside disarms it, and exactly 65 does neither`()
  {
    var header = PullRefresh()

    let states = [-64.9, -65, -65.1, -65, -64.9, -66, -1, -70].map { offset in
      header.scrolled(to: offset, isDragging: true)
      return header.state
    }

    #expect(
      states == [.normal, .normal, .pulling, .pulling, .normal, .pulling, .normal, .pulling])
  }

  @Test func `coming back to 0 or above leaves it armed, as the original does`() {
    var header = PullRefresh(state: .pulling, inset: 0)

    header.scrolled(to: 0, isDragging: true)

    #expect(header.state == .pulling)
  }

  @Test func `nothing changes without a finger, or while the list loads by itself`() {
    var free = PullRefresh()
    var busy = PullRefresh()

    free.scrolled(to: -90, isDragging: false)
    busy.scrolled(to: -90, isDragging: true, sourceIsLoading: true)

    #expect(free.state == .normal)
    #expect(busy.state == .normal)
  }

  @Test func `letting go at 65 or beyond loads, and makes room of 60`() {
    let outcomes = [-64.9, -65, -65.1].map { offset in
      var header = PullRefresh()
      let loads = header.released(at: offset)
      return (loads, header.state, header.inset)
    }

    #expect(outcomes[0] == (false, .normal, 0))
    #expect(outcomes[1] == (true, .loading, 60))
    #expect(outcomes[2] == (true, .loading, 60))
  }

  @Test func `a second release while loading is ignored`() {
    var header = PullRefresh()

    let releases = [header.released(at: -70), header.released(at: -70)]
    let whileOthersLoad = PullRefresh().releasing(at: -70, sourceIsLoading: true)

    #expect(releases == [true, false])
    #expect(!whileOthersLoad)
  }

  @Test(arguments: [(-200.0, 60.0), (-60, 60), (-59, 59), (-1, 1), (0, 0), (40, 0)])
  func `while loading the room follows the list`(offset: Double, inset: Double) {
    var header = PullRefresh(state: .loading, inset: 60)

    header.scrolled(to: offset, isDragging: false)

    #expect(header.inset == inset)
    #expect(header.state == .loading)
  }

  @Test func `dragging closes the room unless it loads`() {
    var header = PullRefresh(state: .normal, inset: 60)

    header.scrolled(to: -10, isDragging: true)

    #expect(header.inset == 0)
  }

  @Test func `the end of loading closes the room`() {
    var header = PullRefresh(state: .loading, inset: 60)

    header.finished()

    #expect(header == PullRefresh())
  }

  @Test func `the arrow turns while armed and is hidden while loading`() {
    let headers = PullRefresh.State.allCases.map { PullRefresh(state: $0, inset: 0) }

    #expect(headers.map(\.arrowAngle) == [180, 0, 0])
    #expect(headers.map(\.hidesArrow) == [false, false, true])
  }

  @Test func `each state has its text in both languages`() {
    let texts = PullRefresh.State.allCases.map { PullRefresh(state: $0, inset: 0).text }

    #expect(texts.map { $0.text(in: .chinese) } == ["松开即可刷新", "下拉可以刷新", "加载中..."])
    #expect(
      texts.map { $0.text(in: .english) }
        == ["Release to refresh...", "Pull down to refresh...", "Loading..."])
  }

  @Test func `the owner is asked once, and never while it loads`() {
    struct Owner: PullRefreshDelegate {
      var isLoading = false
      var triggers = 0
      mutating func refreshWasTriggered() {
        triggers += 1
        isLoading = true
      }
    }
    var owner = Owner()
    var header = PullRefresh()

    owner.release(&header, at: -64)
    owner.release(&header, at: -65)
    owner.release(&header, at: -80)

    #expect(owner.triggers == 1)
    #expect(owner.lastUpdated == nil)
  }

  @Test func `the parts of the header stand where the original puts them`() {
    #expect(PullRefreshLayout.lastUpdated.above == 30)
    #expect(PullRefreshLayout.status.above == 48)
    #expect([PullRefreshLayout.arrow.width, PullRefreshLayout.arrow.height] == [30, 55])
    #expect([PullRefreshLayout.arrow.x, PullRefreshLayout.arrow.above] == [25, 65])
    #expect([PullRefreshLayout.spinner.x, PullRefreshLayout.spinner.above] == [25, 38])
    #expect(PullRefreshLayout.background == [226, 231, 237])
    #expect(PullRefreshLayout.textColor == [87, 108, 137])
  }

  @Test(arguments: [
    (10.0, 0.0), (0, 0), (-10, 0.25), (-20, 0.5), (-40, 1), (-60, 1), (-1e9, 1),
  ])
  func `the ring closes over 40`(offset: Double, progress: Double) {
    #expect(RefreshRing.progress(offset: offset) == progress)
    #expect(RefreshRing().progress(offset: offset) == progress)
  }

  @Test func `the list can be pulled by 60`() {
    #expect(RefreshRing.farthestPull == RefreshRing.distance * 1.5)
    #expect(RefreshRing.clamped(offset: -61) == -60)
    #expect(RefreshRing.clamped(offset: -60) == -60)
    #expect(RefreshRing.clamped(offset: 12) == 12)
  }

  @Test func `letting go beyond 40 loads, at 40 it does not, and under a finger it does not`() {
    let outcomes = [(-40.0, false), (-40.1, false), (-60, true)].map { offset, isDragging in
      var ring = RefreshRing()
      return ring.scrolled(to: offset, isDragging: isDragging, at: .zero)
    }

    #expect(outcomes == [false, true, false])
  }

  @Test func `while it loads the ring is empty and cannot be set off again`() {
    var ring = RefreshRing()

    let first = ring.scrolled(to: -50, isDragging: false, at: .zero)
    let second = ring.scrolled(to: -50, isDragging: false, at: .seconds(1))

    #expect((first, second) == (true, false))
    #expect(ring.progress(offset: -50) == 0)
    #expect(ring.startedAt == .zero)
  }

  @Test func `loading is shown for two seconds at least and not longer than it takes`() {
    var ring = RefreshRing()
    _ = ring.scrolled(to: -50, isDragging: false, at: .seconds(10))

    let ends = [10.1, 12, 15].map { ring.end(finishedAt: .seconds($0)) }
    ring.stopped()

    #expect(ends == [.seconds(12), .seconds(12), .seconds(15)])
    #expect(!ring.isRefreshing)
    #expect(ring.end(finishedAt: .seconds(3)) == .seconds(3))
  }

  @Test func `of nothing all is done, and no count leaves the ring`() {
    #expect(RefreshRing.progress(done: 0, total: 0) == 1)
    #expect(RefreshRing.progress(done: 1, total: 4) == 0.25)
    #expect(RefreshRing.progress(done: 9, total: 4) == 1)
    #expect(RefreshRing.progress(done: -1, total: 4) == 0)
  }

  @Test
  func
    `the line of the last update is short, in both languages, and absent where nothing is known`()
  {
    let afternoon = LastUpdated.Moment(year: 2026, month: 9, day: 1, hour: 15, minute: 5)
    let midnight = LastUpdated.Moment(year: 2005, month: 12, day: 31, hour: 0, minute: 59)

    #expect(LastUpdated.text(afternoon, in: .chinese) == "最后更新: 2026/9/1 15:05")
    #expect(LastUpdated.text(afternoon, in: .english) == "Last Updated: 9/1/26, 3:05 PM")
    #expect(LastUpdated.text(midnight, in: .english) == "Last Updated: 12/31/05, 12:59 AM")
    #expect(LastUpdated.text(nil, in: .chinese) == nil)
  }

  @Test func `older days are asked for beyond the end, one at a time, until there are none`() {
    var list = LoadBefore()
    func reach(_ offset: Double) -> Bool {
      list.scrolled(offset: offset, height: 600, contentHeight: 1000)
    }

    let atEnd = reach(400)
    let beyond = reach(401)
    let again = reach(450)
    list.finished(isLast: false)
    let next = reach(401)
    list.finished(isLast: true)
    let afterLast = reach(401)

    #expect([atEnd, beyond, again, next, afterLast] == [false, true, false, true, false])
  }

  @Test func `a day has as many stories as it has, or six of them`() {
    #expect(LoadBefore.stories(of: 20) == 20)
    #expect(LoadBefore.stories(of: 20, pageSize: 6) == 6)
    #expect(LoadBefore.stories(of: 3, pageSize: 6) == 3)
    #expect(LoadBefore.stories(of: 0, pageSize: 6) == 0)
  }

  @Test func `the spinner stands at 0,4 of the width and 0,9 of the height`() {
    let frame = SpinnerFrame(width: 375, height: 600)

    #expect(frame.x == 150)
    #expect(frame.y == 540)
    #expect(SpinnerFrame.side == 100)
  }

  @Test(arguments: [(-30.0, 0.0), (0, 0), (16, 0.25), (64, 1), (900, 1), (.nan, 0)])
  func `the top bar comes in over 64 and is gone at the top`(offset: Double, alpha: Double) {
    #expect(TopBarFade.alpha(offset: offset) == alpha)
  }
}

extension PullRefresh {
  fileprivate func releasing(at offset: Double, sourceIsLoading: Bool) -> Bool {
    var copy = self
    return copy.released(at: offset, sourceIsLoading: sourceIsLoading)
  }
}
