/// Writes down the stages of one load as they end.
package final class LoadRecorder: Sendable {
  private let written = Locked<[LoadStep]>([])
  private let listener: (@Sendable (LoadStep) -> Void)?

  /// Begins with an empty page.
  ///
  /// - Parameter listener: Receives every stage as it ends, on the thread that it ran on. Default:
  ///   none.
  package init(listener: (@Sendable (LoadStep) -> Void)? = nil) {
    self.listener = listener
  }

  /// The stages so far, in the order of their ends.
  package var steps: [LoadStep] { written.withLock { $0 } }

  /// Writes down a stage that began at `start` and ends now.
  package func note(_ stage: LoadStage, _ outcome: String, since start: ContinuousClock.Instant) {
    let step = LoadStep(stage, outcome, elapsed: ContinuousClock.now - start)
    written.withLock { $0.append(step) }
    listener?(step)
  }

  /// Enters a stage whose success needs no words; a failure is written down with its own.
  package func attempt<Value>(_ stage: LoadStage, _ body: () throws -> Value) throws -> Value {
    let start = ContinuousClock.now
    do {
      let value = try body()
      note(stage, "fine", since: start)
      return value
    } catch {
      note(stage, "\(error)", since: start)
      throw error
    }
  }

  /// Takes over what another load wrote.
  package func add(_ steps: [LoadStep]) { written.withLock { $0 += steps } }
}
