import ArgumentParser
import ImageCodecs
import ImageModel
import ImagePipeline
import LoadScheduling

/// Makes the thumbnails of many inputs, on all cores; those of one input with one decode.
///
/// In memory are as many images as there are cores and, of URLs, as many as are in flight. Each
/// decode has a share of `--max-memory`; what needs more is made at the end, alone.
struct ThumbRun: Sendable {
  private let command: ThumbCommand
  private let recipes: [ThumbnailRecipe]
  private let inputs: [ImageInput]
  private let usesHash: Bool
  private let record: ThumbRecord?
  /// The recipes of each input whose thumbnails are to be made.
  private let due: [[ThumbnailRecipe]]
  private let session: Session?
  private let files: ImageFiles
  private let output: ImageReport
  private let executor: BlockingExecutor
  private let workerCount: Int

  static func run(
    _ command: ThumbCommand, _ sources: [String], _ recipes: [ThumbnailRecipe],
    to target: ImageFiles.Target
  ) async throws -> Int32 {
    let record =
      command.update ? ThumbRecord(of: target.root, target: command.output) : nil
    let tree = ThumbTree(sources, output: target.root)
    if tree.hasFolder, record == nil, sources.contains(where: { isSame($0, target.root) }) {
      throw ImageError.misuse(
        "\(target.root) is one of the inputs, and a second call would make thumbnails of its "
          + "thumbnails; name another folder with -o, or tell them apart with --update")
    }
    if case .template(let template) = target {
      try template.check(tree.inputs, maximumByteCount: ImageLimits().maximumByteCount)
    }
    // The lines of a list are not typed: their hosts may not be private.
    let session =
      tree.inputs.contains(where: \.isURL)
      ? try await Session(
        command.options, namedURLs: command.sources.filter(ImageSource.isURL),
        limits: try command.limits.limits(), transfers: command.parallel.limits,
        isOffline: command.origin.offlineUse.offline) : nil
    guard let session else {
      return try await ThumbRun(command, tree, recipes, target, record, nil).run()
    }
    return try await session.whileOpen {
      try await ThumbRun(command, tree, recipes, target, record, session).run()
    }
  }

  private static func isSame(_ one: String, _ other: String) -> Bool {
    FileIdentity(one).map { $0 == FileIdentity(other) } ?? false
  }

  private init(
    _ command: ThumbCommand, _ tree: ThumbTree, _ recipes: [ThumbnailRecipe],
    _ target: ImageFiles.Target, _ record: ThumbRecord?, _ session: Session?
  ) throws(ImageError) {
    self.command = command
    self.recipes = recipes
    self.record = record
    self.session = session
    inputs = tree.inputs
    usesHash = if case .template(let template) = target { template.uses(.hash) } else { false }
    let files = try ImageFiles(
      target, inputs: inputs, others: [command.thumbnail.watermark?.path].compactMap(\.self))
    self.files = files
    output = ImageReport(
      .thumbnail, of: inputs, count: inputs.count * recipes.count, in: target.root,
      command.options.common)
    let output = output
    due = tree.inputs.enumerated().map { index, input in
      guard let record, files.isNamedAlone(index) else { return recipes }
      return recipes.filter { recipe in
        guard let path = record.current(input, recipe) else { return true }
        files.keep(path, of: index)
        output.show(unchanged: path, of: index)
        return false
      }
    }
    workerCount = max(1, min(Processors.usableCount, inputs.count))
    executor = try BlockingExecutor(name: "thumbnails", threadCount: workerCount)
    for (folder, error) in tree.failures { output.show(error, of: folder) }
    if !tree.unsupported.isEmpty {
      let counts = tree.unsupported.map { "\($0.value) \($0.key.displayName)" }.sorted()
      command.options.report.note(
        "left out, in formats that are not decoded: \(counts.joined(separator: ", "))")
    }
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
      keepRecord()
      output.finish(isInterrupted: true)
      throw CancellationError()
    }
    keepRecord()
    output.finish(isInterrupted: false)
    return output.exitStatus
  }

  private func keepRecord() {
    do throws(ImageError) { try record?.write() } catch {
      output.show(error, of: "the record of --update")
    }
  }

  /// Makes the thumbnails of one input and reports them; returns the index of an input that needs
  /// more than its share of the memory.
  private func make(_ index: Int, sharing shareCount: Int) async throws -> Int? {
    guard let session, inputs[index].isURL else {
      return try await executor.run { read(index, sharing: shareCount) }
    }
    let began = ContinuousClock.now
    var results: [Result<EncodedImage, ImageError>] = []
    var hash: BlobHash?
    do {
      let request = command.options.request(for: inputs[index].source, command.origin.cachePolicy)
      let response = try await session.pipeline.data(for: request, thumbnails: recipes)
      if let failure = response.original.storeFailure {
        output.note(inputs[index].source, notKept: failure)
      }
      if usesHash {
        hash = try response.original.bytes().withUnsafeBytes { SHA256.hash(of: $0) }
      }
      results = try response.thumbnails.map { thumbnail in
        switch thumbnail {
        case .success(let made): .success(try EncodedImage(made))
        case .failure(let error): .failure(error)
        }
      }
    } catch let error as ImageError {
      results = [.failure(error)]
    }
    let (made, inputHash, elapsed) = (results, hash, ContinuousClock.now - began)
    try await executor.run { settle(index, recipes, made, inputHash, nil, elapsed) }
    return nil
  }

  private func read(_ index: Int, sharing shareCount: Int) -> Int? {
    let (began, input, due) = (ContinuousClock.now, inputs[index], due[index])
    if due.isEmpty { return nil }
    let state = record == nil ? nil : ThumbRecord.FileState(input.source)
    var results: [Result<EncodedImage, ImageError>] = []
    var hash: BlobHash?
    do throws(ImageError) {
      let (bytes, limits) = try command.read(input.source, sharing: shareCount)
      if usesHash { hash = bytes.withUnsafeBytes { SHA256.hash(of: $0) } }
      results = try ImageCodecs.thumbnails(of: bytes.span.bytes, recipes: due, limits: limits)
    } catch {
      results = [.failure(error)]
    }
    if shareCount > 1, input.source != "-", results.contains(where: Self.needsMemory) {
      return index
    }
    settle(index, due, results, hash, state, ContinuousClock.now - began)
    return nil
  }

  private static func needsMemory(_ result: Result<EncodedImage, ImageError>) -> Bool {
    guard case .failure(let error) = result else { return false }
    return [.limitExceeded, .outOfMemory].contains(error.code)
  }

  /// Writes and reports what was made, in the order of the recipes, or why nothing was.
  private func settle(
    _ index: Int, _ recipes: [ThumbnailRecipe], _ results: [Result<EncodedImage, ImageError>],
    _ hash: BlobHash?, _ state: ThumbRecord.FileState?, _ elapsed: Duration
  ) {
    let count = results.count < recipes.count ? recipes.count : 1
    for (recipe, result) in zip(recipes, results) {
      for ending in files.settle(index, result, inputHash: hash, elapsed: elapsed) {
        output.show(ending, count: ending.index == index ? count : 1)
        if ending.index == index, case .success(let made) = ending.result {
          record?.add(inputs[index], state, recipe, output: made.path)
        }
      }
    }
  }
}
