import ImageModel

/// Failures that are cached for a while, in this process alone; 404 and 410 are on disk as well.
struct NegativeAnswers: Sendable {
  private struct Answer {
    let error: ImageError
    let until: Date

    func replay(at now: Date) -> ImageError {
      let left = error.retryAfter.map { _ in
        Duration.seconds(Int(min(1e9, until.timeIntervalSince(now)).rounded(.up)))
      }
      var replay = error.withMessage("\(error.message) (remembered)")
      replay.retryAfter = left
      return replay
    }
  }
  private let answers = Locked<[ExactString: Answer]>([:])
  /// Beyond it, the expired failures are dropped, then all.
  var maximumCount = 4096

  var count: Int { answers.withLock { $0.count } }

  /// Remembers a failure of a URL, or of a host.
  ///
  /// One that is remembered already keeps its end, so that an error returned from here cannot
  /// prolong itself; only the origin can, by a `Retry-After` that ends later.
  func remember(_ error: ImageError, for name: String, until: Date, now: Date) {
    answers.withLock { answers in
      if let known = answers[ExactString(name)], known.until > now {
        // Whole seconds: what is left of a delay is rounded up when it is returned.
        guard error.retryAfter != nil, until.timeIntervalSince(known.until) > 1 else { return }
      }
      if answers.count >= maximumCount {
        answers = answers.filter { $0.value.until > now }
        if answers.count >= maximumCount { answers = [:] }
      }
      answers[ExactString(name)] = Answer(error: error, until: until)
    }
  }

  /// Returns the failure of one of the names that has not expired, marked as remembered; its
  /// `retryAfter` is the remaining time.
  func answer(
    for names: @autoclosure () -> [String], at now: @autoclosure () -> Date
  ) -> ImageError? {
    answers.withLock { answers in
      if answers.isEmpty { return nil }
      let now = now()
      for name in names() {
        guard let answer = answers[ExactString(name)] else { continue }
        if answer.until > now { return answer.replay(at: now) }
        answers[ExactString(name)] = nil
      }
      return nil
    }
  }

  func forget(where isOut: (String) -> Bool) {
    answers.withLock { answers in answers = answers.filter { !isOut($0.key.text) } }
  }

  func forget(_ names: [String]) {
    answers.withLock { answers in
      if answers.isEmpty { return }
      for name in names { answers[ExactString(name)] = nil }
    }
  }
}
