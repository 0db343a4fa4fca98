#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Failures that are believed for a while, in this process alone; 404 and 410 are on disk as well.
final class NegativeAnswers: Sendable {
  private struct Answer {
    let error: ImageError
    let until: Date
  }
  private let answers = Locked<[String: Answer]>([:])
  private let maximumCount: Int

  /// Starts empty.
  ///
  /// - Parameter maximumCount: What is remembered at most; beyond it, all that has ended goes, then
  ///   all.
  init(maximumCount: Int = 4096) {
    self.maximumCount = maximumCount
  }

  /// Failures that are remembered.
  var count: Int { answers.withLock { $0.count } }

  /// Remembers a failure of a URL, or of a host.
  ///
  /// One that is remembered already keeps its end: what was answered from here must not prolong
  /// itself.
  func remember(_ error: ImageError, for name: String, until: Date, now: Date) {
    answers.withLock { answers in
      if let known = answers[name], known.until > now { return }
      if answers.count >= maximumCount {
        answers = answers.filter { $0.value.until > now }
        if answers.count >= maximumCount { answers = [:] }
      }
      answers[name] = Answer(error: error, until: until)
    }
  }

  /// The failure that is still believed, if there is one.
  func answer(for names: [String], at now: Date) -> ImageError? {
    answers.withLock { answers in
      if answers.isEmpty { return nil }
      for name in names {
        guard let answer = answers[name] else { continue }
        if answer.until > now { return answer.error }
        answers[name] = nil
      }
      return nil
    }
  }

  /// Forgets a failure: there was an answer.
  func forget(_ names: [String]) {
    answers.withLock { answers in
      if answers.isEmpty { return }
      for name in names { answers[name] = nil }
    }
  }
}
