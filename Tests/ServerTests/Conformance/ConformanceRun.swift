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

  private func check(
    _ holds: Bool, _ words: @autoclosure () -> String, isPreparation: Bool
  ) throws {
    guard !holds else { return }
    throw Failure(verdict: isPreparation ? .unprepared(words()) : .fails(words()))
  }

  // MARK: Received by the client

  private func compare(_ answer: RawAnswer, with step: ConformanceStep, number: Int) throws {
    let count = answer["server-request-count"].flatMap { Int($0) }
    switch step.arrival {
    case .cached where answer.status == 304 && count == nil: break
    case .cached:
      try check(
        count.map { $0 < number } ?? false, "answer \(number) is not from the store",
        isPreparation: step.isPreparation(.arrival))
    case .passed:
      try check(
        count == number, "answer \(number) is from the store",
        isPreparation: step.isPreparation(.arrival))
    default: break
    }
    try compareStatus(answer, step, number)
    for line in step.has {
      try check(
        answer.has(origin.filled(line, at: answer.serverTime)),
        "answer \(number) lacks \(line): \(answer.fields)",
        isPreparation: step.isPreparation(.fields))
    }
    for line in step.lacks {
      try check(
        !answer.has(line), "answer \(number) has \(line)",
        isPreparation: step.isPreparation(.fields))
    }
    for (place, wanted) in (step.hasInterim ?? []).enumerated() {
      let came = place < answer.interim.count ? answer.interim[place] : nil
      let isThere =
        came.map { came in came.status == wanted.status && wanted.fields.allSatisfy { came.has($0) }
        } ?? false
      try check(isThere, "interim answer \(place + 1) did not come", isPreparation: false)
    }
    try compareText(answer, step, number)
  }

  private func compareStatus(
    _ answer: RawAnswer, _ step: ConformanceStep, _ number: Int
  ) throws {
    let words = "answer \(number) has status \(answer.status)"
    if let wanted = step.gives {
      try check(
        wanted == 0 || answer.status == wanted, "\(words), not \(wanted)",
        isPreparation: step.isPreparation(.status))
    } else if answer.status == 999 {
      try check(
        false, "request \(number) was not conditional", isPreparation: step.isPreparation(.arrival))
    } else {
      try check(answer.status == step.status, "\(words), not \(step.status)", isPreparation: true)
    }
  }

  private func compareText(_ answer: RawAnswer, _ step: ConformanceStep, _ number: Int) throws {
    let words = "answer \(number) is '\(answer.text)'"
    if let wanted = step.givesText {
      try check(
        wanted.isEmpty || answer.text == wanted, "\(words), not '\(wanted)'",
        isPreparation: step.isPreparation(.text))
    } else if answer.status != 204, answer.status != 304, step.method != "HEAD" {
      let wanted = step.text ?? ConformanceOrigin.text
      try check(answer.text == wanted, "\(words), not '\(wanted)'", isPreparation: true)
    }
  }

  // MARK: Received by the origin

  private func compareWithOrigin(_ answers: [RawAnswer]) throws {
    let requests = origin.requests
    var place = 0
    for (index, step) in test.steps.enumerated() {
      let isPreparation = step.isPreparation(.arrival)
      if case .cached = step.arrival { continue }
      let request = place < requests.count ? requests[place] : nil
      place += 1
      let number = index + 1
      let condition: String? =
        switch step.arrival {
        case .tagConfirmed: "if-none-match"
        case .dateConfirmed: "if-modified-since"
        default: nil
        }
      if let condition {
        try check(
          request?.request[condition] != nil, "request \(number) has no \(condition)",
          isPreparation: isPreparation)
      }
      if case .passed = step.arrival {
        try check(
          request?.number == number, "request \(number) did not go out",
          isPreparation: isPreparation)
      }
      for line in step.asks {
        let parts = line.split(separator: ":", maxSplits: 1)
        let value = request?.request[parts[0].lowercased()]
        let isThere = parts.count == 1 ? value != nil : value == parts[1].trimmingBlanks
        try check(
          isThere, "request \(number) has \(value ?? "no \(parts[0])"), not \(line)",
          isPreparation: step.isPreparation(.fields))
      }
      if let method = step.asksBy {
        try check(
          request?.request.method == method,
          "request \(number) is \(request?.request.method ?? "")", isPreparation: false)
      }
      for (name, value) in request?.sent ?? [] {
        let came = answers[index][name]
        try check(
          came == value, "answer \(number) has \(name): \(came ?? "nothing"), not \(value)",
          isPreparation: true)
      }
    }
  }
}
