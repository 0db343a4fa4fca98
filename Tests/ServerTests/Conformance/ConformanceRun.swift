import Foundation

@testable import ImagePipeline
@testable import ThumbnailServer
@testable import TestSupport

/// Runs one case through a cache: real HTTP towards the origin, and a manual clock.
struct ConformanceRun {
  /// Sends a request through the cache: a method, a path, field lines and a body.
  typealias Client =
    @Sendable (
      _ method: String, _ path: String, _ lines: [String], _ body: String?
    ) async throws -> RawAnswer

  /// The outcome of a case.
  enum Verdict: Sendable, Equatable {
    case holds
    case fails(String)
    /// A precondition of the case did not hold.
    case unprepared(String)
  }

  private struct Failure: Error {
    let verdict: Verdict
  }

  let test: ConformanceCase
  let clock: ManualClock
  let origin: ConformanceOrigin
  let client: Client

  /// Runs the case.
  func play() async throws -> Verdict {
    do {
      var answers: [RawAnswer] = []
      for index in test.steps.indices {
        answers.append(try await play(index, after: answers.last))
        if test.steps[index].pauses { clock.advance(by: 3) }
      }
      try compareWithOrigin(answers)
      return .holds
    } catch let failure as Failure {
      return failure.verdict
    }
  }

  private func play(_ index: Int, after previous: RawAnswer?) async throws -> RawAnswer {
    let step = test.steps[index]
    let now = previous?["server-now"].flatMap { Double($0) }.map { Date(timeIntervalSince1970: $0) }
    let lines = step.send.map { origin.filled($0, at: now ?? clock.now) }
    // Sent by a client's fetch library, without meaning here.
    let own = ["Cache-Control: nothing-to-see-here", "Pragma: foo", "Req-Num: \(index + 1)"]
    let answer = try await client(step.method, origin.path + step.place, own + lines, step.body)
    try compare(answer, with: step, number: index + 1)
    return answer
  }

  /// - Parameter look: What is checked; `nil` for what is never a preparation.
  private func check(
    _ holds: Bool, _ step: ConformanceStep, _ look: ConformanceStep.Look?,
    _ words: @autoclosure () -> String
  ) throws {
    guard !holds else { return }
    let isPreparation = look.map(step.isPreparation) ?? false
    throw Failure(verdict: isPreparation ? .unprepared(words()) : .fails(words()))
  }

  /// What is as the origin sent it, unless the cache is not to blame.
  private func prepare(_ holds: Bool, _ words: @autoclosure () -> String) throws {
    guard holds else { throw Failure(verdict: .unprepared(words())) }
  }

  // MARK: Received by the client

  private func compare(_ answer: RawAnswer, with step: ConformanceStep, number: Int) throws {
    let count = answer["server-request-count"].flatMap { Int($0) }
    switch step.arrival {
    case .cached where answer.status == 304 && count == nil: break
    case .cached:
      let isOlder = count.map { $0 < number } ?? false
      try check(isOlder, step, .arrival, "answer \(number) is not from the store")
    case .passed: try check(count == number, step, .arrival, "answer \(number) is from the store")
    default: break
    }
    let status = "answer \(number) has status \(answer.status)"
    if let wanted = step.gives {
      try check(wanted == 0 || answer.status == wanted, step, .status, "\(status), not \(wanted)")
    } else if answer.status == 999 {
      try check(false, step, .arrival, "request \(number) was not conditional")
    } else {
      try prepare(answer.status == step.status, "\(status), not \(step.status)")
    }
    for line in step.has {
      let isThere = answer.has(origin.filled(line, at: answer.serverTime))
      try check(isThere, step, .fields, "answer \(number) lacks \(line): \(answer.fields)")
    }
    for line in step.lacks {
      try check(!answer.has(line), step, .fields, "answer \(number) has \(line)")
    }
    for (place, wanted) in (step.hasInterim ?? []).enumerated() {
      let came = place < answer.interim.count ? answer.interim[place] : nil
      let isThere =
        came?.status == wanted.status && wanted.fields.allSatisfy { came?.has($0) == true }
      try check(isThere, step, nil, "interim answer \(place + 1) did not come")
    }
    let text = "answer \(number) is '\(answer.text)'"
    if let wanted = step.givesText {
      try check(wanted.isEmpty || answer.text == wanted, step, .text, "\(text), not '\(wanted)'")
    } else if answer.status != 204, answer.status != 304, step.method != "HEAD" {
      let wanted = step.text ?? ConformanceOrigin.text
      try prepare(answer.text == wanted, "\(text), not '\(wanted)'")
    }
  }

  // MARK: Received by the origin

  private func compareWithOrigin(_ answers: [RawAnswer]) throws {
    let requests = origin.requests
    var place = 0
    for (index, step) in test.steps.enumerated() {
      if case .cached = step.arrival { continue }
      let request = place < requests.count ? requests[place] : nil
      place += 1
      let number = index + 1
      switch step.arrival {
      case .tagConfirmed, .dateConfirmed:
        let condition = step.arrival == .tagConfirmed ? "if-none-match" : "if-modified-since"
        let isThere = request?.request[condition] != nil
        try check(isThere, step, .arrival, "request \(number) has no \(condition)")
      case .passed:
        try check(request?.number == number, step, .arrival, "request \(number) did not go out")
      default: break
      }
      for line in step.asks {
        let parts = line.split(separator: ":", maxSplits: 1)
        let value = request?.request[parts[0].lowercased()]
        let isThere = parts.count == 1 ? value != nil : value == parts[1].trimmingBlanks
        try check(
          isThere, step, .fields, "request \(number) has \(value ?? "no \(parts[0])"), not \(line)")
      }
      if let method = step.asksBy {
        let asked = request?.request.method
        try check(asked == method, step, nil, "request \(number) is \(asked ?? "")")
      }
      for (name, value) in request?.sent ?? [] {
        let came = answers[index][name]
        try prepare(
          came == value, "answer \(number) has \(name): \(came ?? "nothing"), not \(value)")
      }
    }
  }
}
