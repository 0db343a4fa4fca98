import ArgumentParser
import ImageCodecs
import ImageModel
import ImagePipeline
import LoadScheduling

/// Makes the thumbnails of many inputs in one folder, on all cores.
///
/// In memory are as many images as there are cores and, of URLs, as many as are in flight. Each
/// decode has a share of `--max-memory`; what needs more is made at the end, alone.
struct ThumbRun: Sendable {
  private let command: ThumbCommand
  private let recipe: ThumbnailRecipe
  private let inputs: [String]
  private let session: Session?
  private let files: ThumbFiles
  private let output: ThumbOutput
  private let executor: BlockingExecutor
  private let workerCount: Int

  static func run(_ command: ThumbCommand, _ inputs: [String]) async throws -> Int32 {
    let folder = try OutputFolder(creating: command.output)
    guard inputs.contains(where: ImageSource.isURL) else {
      return try await ThumbRun(command, inputs, folder, session: nil).run()
    }
    // The lines of a list are not typed: their hosts may not be private.
    let session = try await Session(
      command.options, namedURLs: command.sources.filter(ImageSource.isURL),
      limits: try command.limits.limits(), transfers: command.parallel.limits,
      isOffline: command.origin.offlineUse.offline)
    return try await session.whileOpen {
      try await ThumbRun(command, inputs, folder, session: session).run()
    }
  }

  private init(
    _ command: ThumbCommand, _ inputs: [String], _ folder: OutputFolder, session: Session?
  ) throws(ImageError) {
    self.command = command
    recipe = command.thumbnail.recipe
    self.inputs = inputs
    self.session = session
    files = ThumbFiles(folder, inputs: inputs)
    output = ThumbOutput(inputs, folder: folder.path, command.options.common)
    workerCount = max(1, min(Processors.usableCount, inputs.count))
    executor = try BlockingExecutor(name: "thumbnails", threadCount: workerCount)
  }

  private func run() async throws -> Int32 {
    defer { executor.stop() }
    do {
      // Files that wait for a thread take no memory; of URLs some are in flight.
      let inFlight = session == nil ? workerCount + 2 : command.parallel.limits.inProgress
      var large: [Int] = []
      try await BoundedWork(maximumInFlight: max(inFlight, workerCount))
        .run(inputs.indices) { index in
          try await make(index, sharing: workerCount)
        } finished: { index in
          if let index { large.append(index) }
        }
      try await BoundedWork(maximumInFlight: 1).run(large.sorted()) { index in
        try await make(index, sharing: 1)
      } finished: { _ in
      }
    } catch is CancellationError {
      files.discard()
      output.finish(isInterrupted: true)
      throw CancellationError()
    }
    output.finish(isInterrupted: false)
    return output.exitStatus
  }

  /// Makes one thumbnail and reports it; returns the index of an input that needs more than its
  /// share of the memory.
  private func make(_ index: Int, sharing shareCount: Int) async throws -> Int? {
    guard let session, ImageSource.isURL(inputs[index]) else {
      return try await executor.run { read(index, sharing: shareCount) }
    }
    let began = ContinuousClock.now
    let result: Result<EncodedImage, ImageError>
    do {
      let response = try await session.pipeline.data(
        for: command.request(for: inputs[index], recipe))
      result = .success(try ThumbCommand.image(of: response))
      if let failure = response.storeFailure { output.note(inputs[index], notKept: failure) }
    } catch let error as ImageError {
      result = .failure(error)
    }
    let elapsed = ContinuousClock.now - began
    try await executor.run { files.settle(index, result, elapsed: elapsed).forEach(output.show) }
    return nil
  }

  private func read(_ index: Int, sharing shareCount: Int) -> Int? {
    let began = ContinuousClock.now
    let result = Result { () throws(ImageError) in
      try command.read(inputs[index], recipe, sharing: shareCount)
    }
    if shareCount > 1, inputs[index] != "-", case .failure(let error) = result,
      [.limitExceeded, .outOfMemory].contains(error.code)
    {
      return index
    }
    let elapsed = ContinuousClock.now - began
    files.settle(index, result, elapsed: elapsed).forEach(output.show)
    return nil
  }
}
